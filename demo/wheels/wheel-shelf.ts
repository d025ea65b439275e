// The wheels that programs may import, for as long as the page is open; page.
import { readWheel, wheelFolder, type Wheel, type WheelSource } from "@sallyport/python";

/** What a run is given. */
export type WheelFolder = ReturnType<typeof wheelFolder>;

/** One wheel after the other, so that two that clash never both get in. */
export class WheelShelf {
  private readonly pythonVersion: () => Promise<string>;
  private list: readonly Wheel[] = [];
  private made: WheelFolder | undefined;
  private last: Promise<unknown> = Promise.resolve();

  /** `pythonVersion` is asked for when there is a wheel to be judged. */
  constructor(pythonVersion: () => Promise<string>) {
    this.pythonVersion = pythonVersion;
  }

  get wheels(): readonly Wheel[] {
    return this.list;
  }

  /** For `run`; the same object until a wheel comes or goes. Undefined while there is none. */
  get folder(): WheelFolder | undefined {
    return this.made;
  }

  /** Rejects with a WheelError that says why a wheel is not taken. */
  add(source: WheelSource): Promise<Wheel> {
    const added = this.last.then(async () => {
      const wheel = await readWheel(source, { python: await this.pythonVersion() });
      this.made = wheelFolder([...this.list, wheel]);
      this.list = [...this.list, wheel];
      return wheel;
    });
    this.last = added.catch(() => {});
    return added;
  }

  remove(wheel: Wheel): void {
    this.list = this.list.filter((one) => one !== wheel);
    this.made = this.list.length > 0 ? wheelFolder(this.list) : undefined;
  }
}
