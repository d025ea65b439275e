// Python packages: wheels that are dropped, chosen or fetched, what is wrong with them, and the list of those that are there; page.
import { plainName, type Wheel, type WheelSource } from "@sallyport/python";
import { findElement, makeElement } from "../make-element.ts";
import { allowedOrigins } from "../wheels/allowed-origins.ts";
import { fetchWheel } from "../wheels/fetch-wheel.ts";
import type { WheelShelf } from "../wheels/wheel-shelf.ts";

/** The card. What it does takes effect with the next run. */
export class WheelsPanel {
  private readonly details = findElement("packages", HTMLDetailsElement);
  private readonly zone = findElement("packages-drop", HTMLElement);
  private readonly list = findElement("packages-list", HTMLElement);
  private readonly problems = findElement("packages-problems", HTMLElement);
  private readonly state = findElement("packages-state", HTMLElement);
  private readonly names = findElement("packages-names", HTMLElement);
  private readonly hint = findElement("packages-hint", HTMLElement);
  private readonly shelf: WheelShelf;
  /** Wheels that are on their way. */
  private pending = 0;

  constructor(shelf: WheelShelf) {
    this.shelf = shelf;
    this.takeFiles();
    this.takeDrops();
    this.takeAddresses();
    this.show();
  }

  /** Takes wheels, and says what is wrong with those that it does not take. Never rejects. */
  async add(sources: readonly (WheelSource | Promise<WheelSource>)[]): Promise<void> {
    this.details.open = true;
    this.problems.replaceChildren();
    this.wait(sources.length);
    for (const source of sources) {
      try {
        const { name, version } = await this.shelf.add(await source);
        this.show();
        this.state.textContent = `${name} ${version} can be imported from the next run on.`;
      } catch (error) {
        const words = error instanceof Error ? error.message : String(error);
        this.problems.append(makeElement("p", {}, words));
      }
      this.wait(-1);
      this.details.scrollIntoView({ block: "nearest" });
    }
  }

  private wait(more: number): void {
    this.pending += more;
    this.details.ariaBusy = String(this.pending > 0);
    if (more > 0) this.state.textContent = "Reading…";
    else if (this.state.textContent === "Reading…") this.state.textContent = "";
  }

  private show(): void {
    const { wheels } = this.shelf;
    this.names.replaceChildren(
      ...wheels.map(({ name }) => makeElement("code", { class: "chip" }, name)),
    );
    this.hint.hidden = wheels.length > 0;
    this.list.replaceChildren(...wheels.map((wheel) => this.entry(wheel)));
  }

  private entry(wheel: Wheel): HTMLElement {
    const { name, version, modules, fileName } = wheel;
    const remove = makeElement(
      "button",
      { class: "button quiet", type: "button", "aria-label": `Remove ${name}` },
      "Remove",
    );
    remove.addEventListener("click", () => {
      this.shelf.remove(wheel);
      this.problems.replaceChildren();
      this.state.textContent = `${name} is gone from the next run on.`;
      this.show();
      this.zone.querySelector("input")?.focus(); // the button that had the focus is no more
    });
    const missing = this.missing(wheel);
    return makeElement(
      "li",
      { title: fileName },
      makeElement(
        "div",
        {},
        makeElement("strong", {}, name),
        ` ${version}`,
        makeElement("code", {}, modules.length > 0 ? `import ${modules.join(", ")}` : "no module"),
        ...(missing.length > 0
          ? [makeElement("p", { class: "tag" }, `also needs ${missing.join(", ")}`)]
          : []),
      ),
      remove,
    );
  }

  /** What a wheel needs and nobody has brought. */
  private missing({ requires }: Wheel): readonly string[] {
    const here = new Set(this.shelf.wheels.map(({ name }) => plainName(name)));
    return requires.filter((name) => !here.has(name));
  }

  private takeFiles(): void {
    const input = findElement("packages-file", HTMLInputElement);
    input.addEventListener("change", () => {
      void this.add([...(input.files ?? [])]);
      input.value = ""; // the same file may be chosen again
    });
  }

  /** A wheel may be dropped anywhere: a browser would leave the page for it. Other files are the editor's, or nobody's. */
  private takeDrops(): void {
    const isFile = (event: DragEvent): boolean =>
      event.dataTransfer?.types.includes("Files") ?? false;
    document.addEventListener("dragover", (event) => {
      if (!isFile(event)) return;
      event.preventDefault();
      this.zone.classList.add("over");
    });
    document.addEventListener("dragleave", (event) => {
      if (!event.relatedTarget) this.zone.classList.remove("over");
    });
    const drop = (event: DragEvent): void => {
      this.zone.classList.remove("over");
      if (!isFile(event)) return;
      const files = [...(event.dataTransfer?.files ?? [])];
      const target = event.target as Element;
      const wheels = files.filter(({ name }) => name.endsWith(".whl"));
      const meant = target.closest(".packages-card") ? files : wheels;
      const isEditors = target.closest(".editor") !== null && meant.length === 0;
      if (isEditors) return;
      event.preventDefault();
      event.stopPropagation();
      if (meant.length > 0) void this.add(meant);
    };
    document.addEventListener("drop", drop, true);
  }

  private takeAddresses(): void {
    const form = findElement("packages-form", HTMLFormElement);
    const field = findElement("packages-address", HTMLInputElement);
    const others = allowedOrigins().filter((origin) => origin !== location.origin);
    findElement("packages-allowed", HTMLElement).textContent = ["this site", ...others].join(", ");
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const address = field.value.trim();
      if (address !== "") void this.add([fetchWheel(address)]);
    });
  }
}
