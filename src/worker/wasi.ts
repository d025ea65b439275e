// WASI preview 1 for one run: joins files, streams, clocks and the 46 imports; worker.

import { WASIProcExit } from "@bjorn3/browser_wasi_shim";
import { FileSystem, type Preopen } from "../files/file-system.ts";
import type { FolderChange } from "../files/folder-changes.ts";
import type { PreopenSpec } from "../files/preopens.ts";
import type { BlockingEntry } from "../wire/blocking-call.ts";
import type { Quotas, StdinSpec } from "../wire/messages.ts";
import { askDoor, askHttp } from "./door-device.ts";
import type { HttpCall } from "./http-call.ts";
import { FixedClock, HostClock } from "./clock.ts";
import { AnswerLines } from "./answer-lines.ts";
import { StdinLines } from "./stdin-lines.ts";
import { OutputStream, Stdin, type Emit } from "./stdio.ts";
import type { Context, PlainImport, Surroundings } from "./syscalls/context.ts";
import { DescriptorTable } from "./syscalls/descriptor-table.ts";
import { descriptorImports } from "./syscalls/descriptors.ts";
import { environmentImports } from "./syscalls/environment.ts";
import { loadingImports } from "./syscalls/loading.ts";
import { OpenDirectory } from "./syscalls/open-directory.ts";
import { pathImports } from "./syscalls/paths.ts";
import { pollImports } from "./syscalls/poll.ts";
import { ALL_RIGHTS, DIRECTORY_RIGHTS } from "./syscalls/rights.ts";
import { socketImports } from "./syscalls/sockets.ts";
import { transferImports } from "./syscalls/transfer.ts";
import { GuestMemory } from "./wasi-memory.ts";
import { cryptoRandom, seededRandom } from "./wasi-random.ts";
import { Vectors } from "./wasi-vectors.ts";

/** Thrown by proc_exit; `code` is the exit code. */
export { WASIProcExit as WasiExit };

/** What the imports themselves depend on. */
export interface WasiKind {
  /** A device /dev/door exists. */
  readonly device?: boolean;
  /** A device /dev/http exists, and asks with this. */
  readonly httpDevice?: HttpCall;
  /** False makes fd_allocate NOTSUP, as in function packages. */
  readonly allocate?: boolean;
  /** A preopen is a granted folder, whose files come from the page. */
  readonly granted?: boolean;
}

/** What a run gives its guest. */
export interface WasiOptions {
  /** argv with argv[0]. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly preopens: readonly PreopenSpec[];
  readonly stdin: StdinSpec;
  readonly emit: Emit;
  readonly quotas: Quotas;
  /** Standard streams that are terminals. */
  readonly tty: readonly (0 | 1 | 2)[];
  /** Seeded randomness and a fixed clock. */
  readonly deterministic?: { readonly seed: number; readonly timeMs: number };
}

/** The WASI of one run at a time. */
export interface WasiHost {
  /** Imports that answer at once. */
  readonly plain: Record<string, PlainImport>;
  /** Imports that may have to wait. */
  readonly blocking: Record<string, BlockingEntry>;
  /** Gives it the guest's memory, before the first import is called. */
  attach(memory: WebAssembly.Memory): void;
  /** Gives it a run, before the first import is called. */
  begin(options: WasiOptions): void;
  /** The run is over: nothing of it is held, or reached, from here. */
  end(): void;
  /** Changed files of writable trees by path, null for deleted ones. */
  changedFiles(): Record<string, Uint8Array<ArrayBuffer> | null>;
  /** What is to be written back to granted folders. */
  folderChanges(): FolderChange[];
  /** The preopened trees of the run at work: one list, whose content changes. */
  readonly preopens: readonly Preopen[];
}

/** Makes the imports of runs to come. Nothing here blocks by itself: what has to wait is returned as a `Pending`. */
export function createWasi(kind: WasiKind): WasiHost {
  const devices = {
    ...(kind.device === true ? { door: askDoor } : {}),
    ...(kind.httpDevice ? { http: askHttp(kind.httpDevice) } : {}),
  };
  // While there is no run, nobody calls an import.
  const nobody = undefined as unknown as Surroundings;
  const memory = new GuestMemory();
  const table = new DescriptorTable();
  const context: Context = { memory, table, around: nobody, vectors: new Vectors(), devices };
  const groups = [
    environmentImports(context),
    descriptorImports(context, kind.allocate !== false),
    transferImports(context),
    pathImports(context),
    pollImports(context),
    socketImports(context),
  ];
  const imports = {
    plain: Object.assign({}, ...groups.map((group) => group.plain)) as WasiHost["plain"],
    blocking: Object.assign({}, ...groups.map((group) => group.blocking)) as WasiHost["blocking"],
  };
  const preopens: Preopen[] = [];
  let files: FileSystem | undefined;
  return {
    ...(kind.granted === true ? loadingImports(imports) : imports),
    attach: (guest) => memory.attach(guest),
    begin(options) {
      const around = surroundings(options);
      context.around = around;
      files = new FileSystem({
        preopens: options.preopens,
        quotas: options.quotas,
        devices: Object.keys(devices) as (keyof typeof devices)[],
        now: () => around.clock.fileTime(),
      });
      preopens.push(...files.preopens);
      openFirst(table, files, options);
    },
    end() {
      memory.detach();
      table.empty();
      preopens.length = 0;
      files = undefined;
      context.around = nobody;
    },
    changedFiles: () => files!.changedFiles(),
    folderChanges: () => files!.folderChanges(),
    preopens,
  };
}

function surroundings({ args, env, deterministic }: WasiOptions): Surroundings {
  return {
    args,
    environ: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    clock: deterministic ? new FixedClock(deterministic.timeMs) : new HostClock(),
    random: deterministic ? seededRandom(deterministic.seed) : cryptoRandom,
  };
}

/** Descriptors 0 to 2, and the preopens from 3 on. */
function openFirst(table: DescriptorTable, files: FileSystem, options: WasiOptions): void {
  const { stdin, tty, emit, quotas } = options;
  table.limit = quotas.descriptors;
  let emitStdout = emit;
  if (stdin.kind === "lines") {
    const answers = new AnswerLines();
    emitStdout = (stream, bytes) => {
      answers.push(bytes);
      return emit(stream, bytes);
    };
    table.add(new StdinLines(stdin.lines, stdin.more, answers));
  } else table.add(new Stdin(tty.includes(0), stdin.kind === "bytes" ? stdin.bytes : undefined));
  table.add(new OutputStream(1, tty.includes(1), emitStdout));
  table.add(new OutputStream(2, tty.includes(2), emit));
  for (const { path, directory } of files.preopens) {
    table.add(new OpenDirectory(directory, DIRECTORY_RIGHTS, ALL_RIGHTS, path));
  }
}
