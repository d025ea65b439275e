// The tool page_info: a plain function that reads the page; page.
import { tool } from "sallyport";

/** The tool. */
export const pageInfoTool = tool({
  name: "page_info",
  description: "Title, width and theme of this page, and the browser's language.",
  annotations: { title: "reads", readOnlyHint: true },
  execute: () => ({
    title: document.title,
    width: innerWidth,
    theme: getComputedStyle(document.documentElement).colorScheme,
    language: navigator.language,
  }),
});
