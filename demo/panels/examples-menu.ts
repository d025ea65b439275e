// The menu of examples; the one that is shown also stands in the page's address; page.
import { EXAMPLES, type Example } from "../examples/index.ts";
import { findElement, makeElement } from "../make-element.ts";

/** No bare id: a browser scrolls to the element that has it, such as the lamps. */
const MARK = "#example=";

/**
 * Fills the menu and calls `show` for the first one, or the one that the address names, and for each that is chosen. Gives a
 * function that tells which one is shown.
 */
export function examplesMenu(show: (example: Example) => void): () => Example {
  const menu = findElement("examples", HTMLSelectElement);
  menu.replaceChildren(
    ...EXAMPLES.map(({ id, title }) => makeElement("option", { value: id }, title)),
  );
  let shown = EXAMPLES[0]!;
  const select = (id: string): void => {
    shown = EXAMPLES.find((one) => one.id === id) ?? EXAMPLES[0]!;
    menu.value = shown.id;
    show(shown);
  };
  menu.addEventListener("change", () => {
    history.replaceState(null, "", `${MARK}${menu.value}`);
    select(menu.value);
  });
  const follow = (): void => select(location.hash.replace(MARK, ""));
  addEventListener("hashchange", follow);
  follow();
  return () => shown;
}
