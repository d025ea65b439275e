// The board of lamps that light_lamp switches; page.
import { makeElement } from "../make-element.ts";

export const LAMP_COLUMNS = 24;
export const LAMP_ROWS = 6;
export const LAMP_COLOURS = ["off", "white", "red", "amber", "green", "blue", "violet"] as const;
export type LampColour = (typeof LAMP_COLOURS)[number];

/** What the tools may do with it. */
export interface LampsPanel {
  light(x: number, y: number, colour: LampColour): void;
  clear(): void;
}

/** Fills an element with lamps, all out. For a screen reader the board is one image whose name counts what is lit. */
export function lampsPanel(host: HTMLElement): LampsPanel {
  const lamps = Array.from({ length: LAMP_COLUMNS * LAMP_ROWS }, () =>
    makeElement("span", { class: "lamp", "data-colour": "off" }),
  );
  host.replaceChildren(...lamps);
  let lit = 0;
  const describe = (): void => {
    host.setAttribute("aria-label", `Lamps: ${lit} of ${lamps.length} are lit`);
  };
  const set = (lamp: HTMLElement, colour: LampColour): void => {
    lit += Number(colour !== "off") - Number(lamp.dataset["colour"] !== "off");
    lamp.dataset["colour"] = colour;
  };
  describe();
  return {
    light(x, y, colour) {
      const lamp = lamps[y * LAMP_COLUMNS + x];
      if (lamp) set(lamp, colour);
      describe();
    },
    clear() {
      for (const lamp of lamps) set(lamp, "off");
      describe();
    },
  };
}
