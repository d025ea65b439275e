// The files that a run wrote, to be saved; page.
import { findElement, makeElement } from "../make-element.ts";

const MOST_FILES = 50;

/** The panel under the output; hidden while there is nothing in it. */
export class FilesPanel {
  private readonly panel = findElement("files", HTMLElement);
  private readonly list = findElement("files-list", HTMLElement);
  private addresses: string[] = [];
  private readonly addWheel: (wheel: File) => void;

  /** `addWheel` gets a wheel that the program made and somebody wants to import. */
  constructor(addWheel: (wheel: File) => void) {
    this.addWheel = addWheel;
  }

  clear(): void {
    for (const address of this.addresses) URL.revokeObjectURL(address);
    this.addresses = [];
    this.list.replaceChildren();
    this.panel.hidden = true;
  }

  /** Shows what `result.files` holds: bytes by path, null for a deleted file. */
  show(files: Readonly<Record<string, Uint8Array | null>>): void {
    this.clear();
    const entries = Object.entries(files).filter(([path]) => !path.endsWith(".pyc"));
    for (const [path, bytes] of entries.slice(0, MOST_FILES)) {
      this.list.append(makeElement("li", {}, ...this.entry(path, bytes)));
    }
    const more = entries.length - MOST_FILES;
    if (more > 0) this.list.append(makeElement("li", {}, `and ${more} more`));
    this.panel.hidden = entries.length === 0;
  }

  private entry(path: string, bytes: Uint8Array | null): (Node | string)[] {
    if (bytes === null) return [makeElement("code", {}, path), " deleted"];
    const address = URL.createObjectURL(new Blob([bytes.slice()]));
    this.addresses.push(address);
    const download = path.slice(path.lastIndexOf("/") + 1);
    const size = `${bytes.byteLength.toLocaleString("en")} bytes`;
    const link = makeElement("a", { href: address, download }, path);
    if (!path.endsWith(".whl")) return [link, ` ${size}`];
    const add = makeElement("button", { class: "button", type: "button" }, "Add to packages");
    add.addEventListener("click", () => this.addWheel(new File([bytes.slice()], download)));
    return [link, ` ${size} `, add];
  }
}
