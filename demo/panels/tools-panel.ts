// The list of the page's tools, read off the tools themselves; page.
import type { Tool } from "sallyport";
import { findElement, makeElement } from "../make-element.ts";

/** Fills the list. The names are in the summary, so that they can be seen while it is closed. */
export function showTools(tools: readonly Tool[]): void {
  findElement("tools-names", HTMLElement).replaceChildren(
    ...tools.map(({ name }) => makeElement("code", { class: "chip" }, name)),
  );
  findElement("tools-list", HTMLElement).replaceChildren(...tools.flatMap(entry));
}

function entry({ name, description, inputSchema, annotations }: Tool): HTMLElement[] {
  const properties = Object.keys(inputSchema["properties"] ?? {});
  const required = (inputSchema["required"] ?? []) as readonly string[];
  const parameters = properties.map((one) => (required.includes(one) ? one : `${one}=…`));
  return [
    makeElement(
      "dt",
      {},
      makeElement("code", {}, `${name}(${parameters.join(", ")})`),
      makeElement("span", { class: "tag" }, annotations?.title ?? "tool"),
    ),
    makeElement("dd", {}, description),
  ];
}
