// Runs what the page's address asks for, and answers in the page's title, for pages that no tool is attached to; page.

/** Until then a page is still at its own start. */
const SETTLE_MS = 500;

/** What the title says: what the function gave, or what it threw. */
export type TitleAnswer = { readonly value: unknown } | { readonly error: string };

/** `#name` asks for the function of that name; an address without it, for nothing. */
export function answerInTitle(ways: Readonly<Record<string, () => Promise<unknown>>>): void {
  const way = ways[location.hash.slice(1)];
  if (!way) return;
  setTimeout(() => {
    const say = (answer: TitleAnswer): void => {
      document.title = JSON.stringify(answer);
    };
    way().then(
      (value) => say({ value }),
      (error: unknown) => say({ error: String(error) }),
    );
  }, SETTLE_MS);
}
