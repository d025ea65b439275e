// The tools light_lamp and clear_lamps: functions that change the page so that a person sees it; page.
import { tool } from "sallyport";
import { LAMP_COLOURS, LAMP_COLUMNS, LAMP_ROWS, type LampsPanel } from "../panels/lamps-panel.ts";

/** The tools of a board of lamps. */
export function lampTools(lamps: LampsPanel) {
  const lightLamp = tool({
    name: "light_lamp",
    description: `Gives one of the ${LAMP_COLUMNS} × ${LAMP_ROWS} lamps a colour. x counts from the left, y from the top, both from 0.`,
    annotations: { title: "changes the page", idempotentHint: true },
    inputSchema: {
      type: "object",
      properties: {
        x: { type: "integer", minimum: 0, maximum: LAMP_COLUMNS - 1 },
        y: { type: "integer", minimum: 0, maximum: LAMP_ROWS - 1 },
        colour: { enum: LAMP_COLOURS },
      },
      required: ["x", "y", "colour"],
    },
    execute: ({ x, y, colour }) => lamps.light(x, y, colour),
  });
  const clearLamps = tool({
    name: "clear_lamps",
    description: "Puts all lamps out.",
    annotations: { title: "changes the page", idempotentHint: true },
    execute: () => lamps.clear(),
  });
  return [lightLamp, clearLamps];
}
