// Shows what an inspection found; page.
import type { ModuleReport } from "sallyport/package";
import { findElement, makeElement } from "../make-element.ts";

/** Puts a report in place of the last one. */
export function showReport({ problems, imports, exports, features }: ModuleReport): void {
  const list = problems.map(({ code, message }) =>
    makeElement("li", {}, makeElement("code", {}, code), ` ${message}`),
  );
  const verdict =
    problems.length === 0
      ? makeElement("p", { class: "good" }, "This module can be a package.")
      : makeElement(
          "p",
          { class: "bad" },
          `${problems.length === 1 ? "One thing keeps" : `${problems.length} things keep`} it from being a package:`,
        );
  findElement("report", HTMLElement).replaceChildren(
    verdict,
    ...(list.length === 0 ? [] : [makeElement("ul", { class: "problems" }, ...list)]),
    names(
      "Imports",
      imports.map(({ module, name }) => `${module}.${name}`),
    ),
    names(
      "Exports",
      exports.map(({ name }) => name),
    ),
    names("Features", features),
  );
}

function names(title: string, list: readonly string[]): HTMLElement {
  return makeElement(
    "details",
    {},
    makeElement("summary", {}, `${title}: ${list.length}`),
    makeElement("pre", {}, list.join("\n") || "none"),
  );
}
