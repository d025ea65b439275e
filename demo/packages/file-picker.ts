// Takes a file that is dropped anywhere on the page, or chosen; page.
import { findElement } from "../make-element.ts";

/** Calls `take` with each file. */
export function filePicker(take: (file: File) => void): void {
  const drop = findElement("drop", HTMLElement);
  const input = findElement("file", HTMLInputElement);
  input.addEventListener("change", () => {
    const [file] = input.files ?? [];
    if (file) take(file);
    input.value = ""; // the same file may be chosen again
  });
  const over = (event: DragEvent): void => {
    event.preventDefault();
    drop.classList.add("over");
  };
  document.addEventListener("dragover", over);
  document.addEventListener("dragleave", () => drop.classList.remove("over"));
  document.addEventListener("drop", (event) => {
    event.preventDefault();
    drop.classList.remove("over");
    const [file] = event.dataTransfer?.files ?? [];
    if (file) take(file);
  });
}
