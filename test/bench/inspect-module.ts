// Times inspectModule beside WebAssembly.validate on the same bytes, the first call of a page and warm ones; page.
import { inspectModule } from "../../src/package/inspect-module.ts";

/** Milliseconds, taken in turns in one page. */
export interface InspectTimes {
  readonly first: { readonly ours: number; readonly floor: number };
  readonly ours: readonly number[];
  readonly floors: readonly number[];
}

/** Fetches a module and times both on it; the page must be fresh for `first` to mean anything. */
export async function inspectTimes(
  url: string,
  rounds: number,
  oursFirst: boolean,
): Promise<InspectTimes> {
  const bytes = await (await fetch(url)).arrayBuffer();
  const ours = async (): Promise<number> => {
    const started = performance.now();
    const { problems } = await inspectModule(bytes);
    const took = performance.now() - started;
    if (problems.length > 0) throw new Error(problems[0]?.message);
    return took;
  };
  const floor = (): number => {
    const started = performance.now();
    const valid = WebAssembly.validate(bytes);
    const took = performance.now() - started;
    if (!valid) throw new Error(`${url} does not validate`);
    return took;
  };
  const early = oursFirst ? await ours() : Number.NaN;
  const first = { floor: floor(), ours: oursFirst ? early : await ours() };
  const samples: { ours: number[]; floors: number[] } = { ours: [], floors: [] };
  for (let round = -3; round < rounds; round++) {
    const pair =
      round % 2 === 0
        ? { ours: await ours(), floor: floor() }
        : { floor: floor(), ours: await ours() };
    if (round < 0) continue;
    samples.ours.push(pair.ours);
    samples.floors.push(pair.floor);
  }
  return { first, ...samples };
}

Object.assign(globalThis, { inspectTimes });
