// The files that packages keep: listed, downloaded, exported, imported, deleted; in memory or in this browser; page.
import { memoryVolume, openVolume, type Volume, type VolumeItem } from "sallyport/package";
import { findElement, makeElement } from "../make-element.ts";

const MOST_FILES = 100;

/** The panel, and the volume that calls use. */
export class VolumePanel {
  private readonly panel = findElement("volume", HTMLElement);
  private readonly persist = findElement("persist", HTMLInputElement);
  private readonly memory = memoryVolume();
  private stored: Promise<Volume> | undefined;

  constructor() {
    this.persist.addEventListener("change", () => void this.refresh());
    this.onClick("export", (volume) => this.save("volume.zip", volume.export()));
    this.onClick("empty", (volume) => volume.delete());
    const input = findElement("import", HTMLInputElement);
    input.addEventListener("change", () => {
      const [file] = input.files ?? [];
      if (file) void this.attempt(async (volume) => volume.import(file));
      input.value = "";
    });
  }

  /** The one that is chosen now. */
  current(): Promise<Volume> {
    if (!this.persist.checked) return Promise.resolve(this.memory);
    this.stored ??= openVolume("packages demo");
    this.stored.catch(() => (this.stored = undefined));
    return this.stored;
  }

  async refresh(): Promise<void> {
    await this.attempt(async () => {});
  }

  private async attempt(work: (volume: Volume) => Promise<unknown>): Promise<void> {
    try {
      const volume = await this.current();
      await work(volume);
      const items = await volume.list();
      const { bytes } = await volume.usage();
      this.show(volume, items, bytes);
    } catch (error) {
      this.panel.replaceChildren(makeElement("p", { class: "bad" }, (error as Error).message));
    }
  }

  private show(volume: Volume, items: readonly VolumeItem[], bytes: number): void {
    const files = items.filter(({ type }) => type === "file");
    if (files.length === 0) {
      this.panel.replaceChildren(makeElement("p", { class: "placeholder" }, "No files yet."));
      return;
    }
    const rows = files.slice(0, MOST_FILES).map(({ path, size }) => {
      const name = path.slice(path.lastIndexOf("/") + 1);
      const button = makeElement("button", { class: "button quiet", type: "button" }, path);
      button.addEventListener("click", () => void this.save(name, volume.read(path)));
      const length = `${size.toLocaleString("en")} bytes`;
      return makeElement("li", {}, button, makeElement("span", { class: "soft" }, length));
    });
    const count = files.length === 1 ? "1 file" : `${files.length} files`;
    const sum = `${count}, ${bytes.toLocaleString("en")} bytes`;
    this.panel.replaceChildren(
      makeElement("ul", { class: "files" }, ...rows),
      makeElement("p", { class: "soft" }, sum),
    );
  }

  private onClick(id: string, work: (volume: Volume) => Promise<unknown>): void {
    findElement(id, HTMLButtonElement).addEventListener("click", () => void this.attempt(work));
  }

  private async save(download: string, content: Promise<Uint8Array<ArrayBuffer>>): Promise<void> {
    const href = URL.createObjectURL(new Blob([await content]));
    makeElement("a", { href, download }).click();
    setTimeout(() => URL.revokeObjectURL(href), 10_000);
  }
}
