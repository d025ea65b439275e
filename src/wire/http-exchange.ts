// The page's half of a series of http calls: an HTTP door whose files are asked from the blocked worker; page and Node.

import { SandboxError } from "../errors.ts";
import { FILE_PART_BYTES } from "../limits.ts";
import { decodeHttpTurn, encodeHttpNeed, type HttpNeed, type HttpTurn } from "./http-frames.ts";

/** The files of the guest as an HTTP door takes them (`HttpFiles` of the http room has this shape). */
export interface WorkerFiles {
  read(path: string): Promise<{
    readonly size: number;
    part(maxBytes: number): Promise<Uint8Array>;
    close(): Promise<void>;
  }>;
  write(path: string): Promise<{
    part(bytes: Uint8Array): Promise<void>;
    commit(): Promise<void>;
    discard(): Promise<void>;
  }>;
}

/** Answers the http calls of one run. */
export interface HttpExchange {
  /** Answers one frame of the worker. Rejects when the host failed; the worker then says `abi`. */
  answer(turn: Uint8Array): Promise<Uint8Array<ArrayBuffer>>;
}

/**
 * Joins a door to the worker. `openDoor` is called once, with the guest's files.
 *
 * @example
 * const exchange = createHttpExchange((files) => createHttpDoor({ network, files, signal }));
 * // in the handler of blocking calls:
 * if (kind === "http") return exchange.answer(request);
 */
export function createHttpExchange(
  openDoor: (files: WorkerFiles) => { call(document: Uint8Array): Promise<Uint8Array> },
): HttpExchange {
  const conversation = new Conversation();
  const door = openDoor(filesOf(conversation));
  return {
    async answer(bytes) {
      const turn = decodeHttpTurn(bytes);
      if (turn.turn !== "start") conversation.heard(turn);
      else conversation.begin(() => door.call(turn.document));
      return conversation.next();
    },
  };
}

type FileTurn = Exclude<HttpTurn, { turn: "start" }>;
type FileNeed = Exclude<HttpNeed, { need: "answer" }>;

interface Asked {
  readonly need: FileNeed;
  readonly resolve: (turn: FileTurn) => void;
}

/** Needs wait in line for the worker's next turn; the answer is said when no need is left. */
class Conversation {
  private readonly line: Asked[] = [];
  /** The need the worker is busy with. */
  private asked: Asked | undefined;
  private open = false;
  private outcome: { document: Uint8Array } | { error: unknown } | undefined;
  /** Wakes `next`, which waits for something to say. */
  private wake: () => void = () => {};

  begin(call: () => Promise<Uint8Array>): void {
    if (this.open) throw new Error("one is under way");
    this.open = true;
    // The worker closes what an exchange left open, so what was still in line for it is void.
    this.line.length = 0;
    call().then(
      (document) => this.finish({ document }),
      (error: unknown) => this.finish({ error }),
    );
  }

  /** The worker did what it was asked for. */
  heard(turn: FileTurn): void {
    if (!this.asked) throw new Error("nothing was asked for");
    const { resolve } = this.asked;
    this.asked = undefined;
    resolve(turn);
  }

  /** Asks the worker. Never settles when the run ends first: whoever waits has the run's signal. */
  async ask(need: FileNeed): Promise<FileTurn> {
    if (!this.open) throw new SandboxError("closed", "the exchange is over");
    const turn = await new Promise<FileTurn>((resolve) => {
      this.line.push({ need, resolve });
      this.wake();
    });
    if (turn.turn !== "failed") return turn;
    const code = turn.refusal === "failed" ? "worker_failed" : turn.refusal;
    throw new SandboxError(code, `the guest's file was refused: ${turn.refusal}`);
  }

  /** What to say to the worker now. */
  async next(): Promise<Uint8Array<ArrayBuffer>> {
    while (this.line.length === 0 && !this.outcome) {
      // oxlint-disable-next-line no-await-in-loop -- until there is something to say
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.asked = this.line.shift();
    if (this.asked) return encodeHttpNeed(this.asked.need);
    const outcome = this.outcome!;
    this.outcome = undefined;
    this.open = false;
    if ("error" in outcome) throw outcome.error;
    return encodeHttpNeed({ need: "answer", document: outcome.document });
  }

  private finish(outcome: { document: Uint8Array } | { error: unknown }): void {
    this.outcome = outcome;
    this.wake();
  }
}

function filesOf(conversation: Conversation): WorkerFiles {
  const done = async (need: FileNeed): Promise<void> => {
    const turn = await conversation.ask(need);
    if (turn.turn !== "done") throw new Error("the worker answered another question");
  };
  return {
    async read(path) {
      const opened = await conversation.ask({ need: "openInput", path });
      if (opened.turn !== "size") throw new Error("the worker answered another question");
      return {
        size: opened.bytes,
        async part(maxBytes) {
          const bytes = Math.min(maxBytes, FILE_PART_BYTES);
          const turn = await conversation.ask({ need: "readInput", maxBytes: bytes });
          if (turn.turn !== "part") throw new Error("the worker answered another question");
          return turn.bytes;
        },
        close: () => done({ need: "closeInput" }),
      };
    },
    async write(path) {
      await done({ need: "openOutput", path });
      return {
        part: (bytes) => done({ need: "writeOutput", bytes }),
        commit: () => done({ need: "commitOutput" }),
        discard: () => done({ need: "discardOutput" }),
      };
    },
  };
}
