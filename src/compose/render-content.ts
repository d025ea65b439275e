// Shows a package's result as elements: text as text, images drawn, nothing ever parsed as markup; page.

import type { CallToolResult } from "../package/call-result.ts";
import { modelContent, type ModelPart } from "../package/model-content.ts";

/**
 * A result as a `div` with an element for each block of its content: `p.sallyport-text`, or `canvas.sallyport-image` with
 * the link's name as its label. Classes are all the style it has. Images are drawn once they are decoded; a canvas needs
 * no permission of a Content-Security-Policy, as `blob:` images would. `sallyport-error` marks a result with `isError`.
 *
 * @example
 * document.querySelector("#answer").replaceChildren(renderContent(await chart.call("draw", { values: [1, 2] })));
 */
export function renderContent(result: CallToolResult): HTMLElement {
  const box = document.createElement("div");
  box.className = result.isError === true ? "sallyport-result sallyport-error" : "sallyport-result";
  for (const part of modelContent(result)) box.append(elementOf(part));
  return box;
}

function elementOf(part: ModelPart): HTMLElement {
  if (part.type === "image") return drawing(part);
  const text = document.createElement("p");
  text.className = "sallyport-text";
  text.textContent = part.text;
  return text;
}

function drawing({ bytes, mimeType, name }: ModelPart & { type: "image" }): HTMLElement {
  const canvas = document.createElement("canvas");
  canvas.className = "sallyport-image";
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", name ?? "image");
  canvas.width = canvas.height = 0;
  const blob = new Blob([new Uint8Array(bytes)], { type: mimeType });
  createImageBitmap(blob).then(
    (image) => {
      canvas.width = image.width;
      canvas.height = image.height;
      canvas.getContext("2d")?.drawImage(image, 0, 0);
      image.close();
    },
    () => canvas.replaceWith(elementOf({ type: "text", text: "[an image could not be decoded]" })),
  );
  return canvas;
}
