// Bench lines of the tool door without a guest: frames against JSON.parse, validation against ajv, hostile frames against themselves; Node and pages.

import { createToolDoor } from "../../src/door/create-tool-door.ts";
import { readFrame } from "../../src/door/frame.ts";
import { checkArguments } from "../../src/schema/check-arguments.ts";
import type { Json } from "../../src/schema/json-value.ts";
import { tool, toolParts } from "../../src/tools/tool.ts";
import { benchLine, type BenchLine } from "./bench-line.ts";
import { benchTools } from "./door-tools.ts";
import { hostileFrames } from "./hostile-frames.ts";

/** A validator of another library, compiled from a schema; given by the caller, since ajv is no dependency of pages. */
export type PeerValidator = (schema: object) => (value: unknown) => boolean;

const encoder = new TextEncoder();

/** A frame of 1 KiB, judged, checked, given to a tool and answered, against JSON.parse and JSON.stringify of it. */
export async function benchFrame(samples = 25): Promise<BenchLine> {
  const echo = tool({
    name: "save_note",
    description: "Saves a note",
    inputSchema: benchTools.note.schema,
    execute: (args) => args,
  });
  const text = JSON.stringify({ v: 1, id: 7, op: "call", tool: "save_note", args: noteOf(1024) });
  const bytes = encoder.encode(text);
  let sum = 0;
  const race = new Race("door frame 1 KiB, judged and answered", 500, 3, {
    ours: async (rounds) => {
      // One door serves one run, and a run's budget is 1,000 frames.
      const door = createToolDoor([echo]);
      for (let i = 0; i < rounds; i++) sum += (await door.call(bytes)).length;
    },
    floor: (rounds) => {
      for (let i = 0; i < rounds; i++) sum += JSON.stringify(JSON.parse(text)).length;
    },
  });
  await runRaces([race], samples);
  if (sum === 0) throw new Error("nothing was answered");
  return race.line("JSON.parse + JSON.stringify of the same frame");
}

/** Checking arguments against the compiled schema, beside a peer's compiled code; all tools in turns, as a page uses them. */
export async function benchValidation(peer: PeerValidator, samples = 60): Promise<BenchLine[]> {
  const races = Object.entries(benchTools).map(([name, { schema, args }]) => {
    const made = tool({ name: "bench", description: "", inputSchema: schema, execute: () => null });
    const { input } = toolParts(made);
    const validate = peer(schema);
    // Fresh objects, as from the parser: a compiler would see through one that never changes.
    const text = JSON.stringify(args);
    const many = Array.from({ length: 64 }, () => JSON.parse(text) as Json);
    const fits = (answers: number, rounds: number) => {
      if (answers !== rounds) throw new Error(`the arguments of ${name} do not fit`);
    };
    return new Race(`validate ${name}`, 500, 3, {
      ours: (rounds) => {
        let yes = 0;
        for (let i = 0; i < rounds; i++) {
          if (checkArguments(input, many[i & 63] as Json, 0, false) === undefined) yes++;
        }
        fits(yes, rounds);
      },
      floor: (rounds) => {
        let yes = 0;
        for (let i = 0; i < rounds; i++) if (validate(many[i & 63])) yes++;
        fits(yes, rounds);
      },
    });
  });
  await runRaces(races, samples);
  return races.map((race) => race.line("ajv, compiled code"));
}

/** Hostile frames of 512 KiB and 1 MiB: the time for twice the size must be at most 2.5 times as long. */
export async function benchHostile(samples = 5): Promise<BenchLine[]> {
  const lines: BenchLine[] = [];
  for (const [name, make] of Object.entries(hostileFrames)) {
    const [half, whole] = [make(2 ** 19), make(2 ** 20)];
    const judge = (frame: Uint8Array) => (rounds: number) => {
      for (let i = 0; i < rounds; i++) readFrame(frame);
    };
    const race = new Race(`judge 1 MiB: ${name}`, 1, 2.5, {
      ours: judge(whole),
      floor: judge(half),
    });
    await runRaces([race], samples);
    lines.push(race.line("the same frame of 512 KiB"));
  }
  return lines;
}

/** Arguments of the note tool that make the whole frame about this many bytes. */
function noteOf(size: number): Json {
  const note: { text: string } = structuredClone(benchTools.note.args);
  const rest = JSON.stringify(note).length - note.text.length + 65;
  const words = "The quick brown fox jumps over the lazy dog, twice.\n";
  note.text = words.repeat(Math.ceil(size / words.length)).slice(0, Math.max(0, size - rest));
  return note;
}

/** Tries of one sample. */
const TRIES = 3;

type Runner = (rounds: number) => void | Promise<void>;

/** Two things timed in turns, so that a busy machine hits both. */
class Race {
  readonly #name: string;
  readonly #rounds: number;
  readonly #goal: number;
  readonly #runners: { readonly ours: Runner; readonly floor: Runner };
  readonly #times: number[] = [];
  readonly #floors: number[] = [];

  constructor(
    name: string,
    rounds: number,
    goal: number,
    runners: { ours: Runner; floor: Runner },
  ) {
    this.#name = name;
    this.#rounds = rounds;
    this.#goal = goal;
    this.#runners = runners;
  }

  async sample(keep: boolean): Promise<void> {
    let [floor, ours] = [Infinity, Infinity];
    // The better of a few tries: what else the machine does only adds.
    for (let i = 0; i < TRIES; i++) {
      floor = Math.min(floor, await this.#time(this.#runners.floor));
      ours = Math.min(ours, await this.#time(this.#runners.ours));
    }
    if (!keep) return;
    this.#floors.push(floor);
    this.#times.push(ours);
  }

  line(peer: string): BenchLine {
    const texts = { name: this.#name, unit: "us", peer, goal: this.#goal };
    return benchLine(texts, this.#times, this.#floors);
  }

  /** Microseconds of one round. */
  async #time(run: Runner): Promise<number> {
    const start = performance.now();
    await run(this.#rounds);
    return ((performance.now() - start) * 1000) / this.#rounds;
  }
}

async function runRaces(races: readonly Race[], samples: number): Promise<void> {
  const warm = Math.ceil(samples / 5);
  for (let i = -warm; i < samples; i++) {
    for (const race of races) await race.sample(i >= 0);
  }
}
