// Cards that open: brings what has been opened into view, where its column scrolls; page.

/** Brings all of them to life. */
export function folds(): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>(".fold details")) {
    details.addEventListener("toggle", () => {
      if (details.open) details.scrollIntoView({ block: "nearest" });
    });
  }
}
