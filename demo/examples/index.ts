// The programs of the examples menu, as text; page.
import errors from "./errors.py?raw";
import files from "./files.py?raw";
import forever from "./forever.py?raw";
import guess from "./guess.py?raw";
import lamps from "./lamps.py?raw";
import orders from "./orders.py?raw";
import packages from "./packages.py?raw";
import tour from "./tour.py?raw";
import walk from "./walk.py?raw";

/** One entry of the menu. */
export interface Example {
  /** Also what stands after `#example=` in the page's address. */
  readonly id: string;
  readonly title: string;
  readonly program: string;
}

/** In the menu's order; the first is shown when the page opens. */
export const EXAMPLES: readonly Example[] = [
  { id: "tour", title: "Tour: call the page", program: tour },
  { id: "lamps", title: "Lamps: move something", program: lamps },
  { id: "orders", title: "Gate: ask first", program: orders },
  { id: "walk", title: "Chart: draw while running", program: walk },
  { id: "guess", title: "input(): guess a number", program: guess },
  { id: "files", title: "Files: in and out", program: files },
  { id: "packages", title: "Packages: import a wheel", program: packages },
  { id: "errors", title: "Errors: what can go wrong", program: errors },
  { id: "forever", title: "Endless loop: press Stop", program: forever },
];
