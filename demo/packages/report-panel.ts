// Shows what an inspection found; page.
import type { ModuleReport } from "sallyport/package";
import { findElement, makeElement } from "../make-element.ts";

/** Puts a report in place of the last one; undefined when no module could be had. */
export function showReport(report: ModuleReport | undefined): void {
  const panel = findElement("report", HTMLElement);
  if (!report) {
    panel.replaceChildren(makeElement("p", { class: "bad" }, "There is no module to inspect."));
    return;
  }
  const { problems, imports, exports, features } = report;
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
  panel.replaceChildren(
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
