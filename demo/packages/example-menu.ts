// The menu of packages that come with this page; page.
import { packPackage } from "sallyport/package";
import { findElement, makeElement } from "../make-element.ts";

type Make = () => Promise<Uint8Array<ArrayBuffer>>;

const fetchBytes = async (url: URL): Promise<Uint8Array<ArrayBuffer>> =>
  new Uint8Array(await (await fetch(url)).arrayBuffer());

const greet = new URL("../../test/guests/packages/greet.wasm", import.meta.url);
const chart = new URL("../../test/guests/packages/chart.wasm", import.meta.url);
const todo = new URL("../../test/guests/packages/todo.wasm", import.meta.url);
const tooNew = new URL("../../test/guests/catch-all-exit.wasm", import.meta.url);

/** By the text in the menu. */
const examples: Readonly<Record<string, Make>> = {
  "greet — C, a bare module": () => fetchBytes(greet),
  "chart — C, an archive with its colors": async () =>
    packPackage({
      module: await fetchBytes(chart),
      name: "chart",
      assets: { "colors.txt": "1a5c70\ne2ab5c\n6fce98\nff9a85\n" },
    }),
  "todo — AssemblyScript, keeps a list in the volume": () => fetchBytes(todo),
  "no package — to see what an inspection finds": () => fetchBytes(tooNew),
};

/** Fills the menu; calls `open` with what was chosen, or `failed` with why it could not be had. */
export function exampleMenu(
  open: (name: string, bytes: Uint8Array<ArrayBuffer>) => void,
  failed: (error: unknown) => void,
): void {
  const menu = findElement("example", HTMLSelectElement);
  menu.replaceChildren(...Object.keys(examples).map((name) => makeElement("option", {}, name)));
  findElement("open-example", HTMLButtonElement).addEventListener("click", () => {
    const name = menu.value;
    examples[name]?.().then((bytes) => open(name.split(" ")[0]!, bytes), failed);
  });
}
