// A guest made of a memory alone: calls the imports of createWasi directly and reads what they wrote.

import { wasi } from "@bjorn3/browser_wasi_shim";
import {
  preopensFrom,
  type FileOptions,
  type PreopenSpec,
} from "../../../../src/files/preopens.ts";
import {
  FILES_BYTES,
  FILES_DESCRIPTORS,
  FILES_ENTRIES,
  WRITE_BUDGET_BYTES,
} from "../../../../src/limits.ts";
import {
  createWasi,
  type WasiHost,
  type WasiKind,
  type WasiOptions,
} from "../../../../src/worker/wasi.ts";
import type { CallAnswer, CallKind, Step } from "../../../../src/wire/blocking-call.ts";
import type { Quotas } from "../../../../src/wire/messages.ts";
import { finishStep } from "../../../conformance/wasi/finish-step.ts";

export const QUOTAS: Quotas = {
  fileBytes: FILES_BYTES,
  entries: FILES_ENTRIES,
  descriptors: FILES_DESCRIPTORS,
  writeBytes: WRITE_BUDGET_BYTES,
};

/** Rights as wasi-libc asks for them. */
export const READ_WRITE = 2n ** 30n - 1n - BigInt(wasi.RIGHTS_FD_READDIR);

export interface TestGuestOptions
  extends FileOptions, Partial<Omit<WasiOptions, "preopens" | "quotas">>, WasiKind {
  readonly preopens?: readonly PreopenSpec[];
  readonly quotas?: Partial<Quotas>;
  readonly pages?: number;
  /** A memory to use in place of a new one. */
  readonly memory?: WebAssembly.Memory;
  readonly answer?: (kind: CallKind, request: Uint8Array) => CallAnswer;
}

const encoder = new TextEncoder();
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/** Places in memory: results at 0, structures at 1 KiB, paths at 8 KiB and 16 KiB, data from 32 KiB on. */
export const RESULT = 0;
export const STRUCT = 1024;
const FIRST_PATH = 8192;
const SECOND_PATH = 16384;
export const DATA = 32768;

export class TestGuest {
  readonly memory: WebAssembly.Memory;
  readonly host: WasiHost;
  readonly output: { 1: Uint8Array[]; 2: Uint8Array[] } = { 1: [], 2: [] };
  readonly #answer: TestGuestOptions["answer"];

  constructor(options: TestGuestOptions = {}) {
    const { files, mounts, quotas, pages = 64, memory, answer, preopens, ...rest } = options;
    const { device, httpDevice, allocate, granted, ...run } = rest;
    this.#answer = answer;
    this.memory = memory ?? new WebAssembly.Memory({ initial: pages });
    this.host = createWasi({
      ...(device === undefined ? {} : { device }),
      ...(httpDevice ? { httpDevice } : {}),
      ...(allocate === undefined ? {} : { allocate }),
      granted: granted ?? preopens?.some(({ source }) => source.kind === "folder") === true,
    });
    this.host.begin({
      args: ["guest"],
      env: {},
      stdin: { kind: "bytes", bytes: new Uint8Array(0) },
      emit: (stream, bytes) => void this.output[stream].push(bytes),
      tty: [],
      ...run,
      preopens:
        preopens ?? preopensFrom({ ...(files ? { files } : {}), ...(mounts ? { mounts } : {}) }),
      quotas: { ...QUOTAS, ...quotas },
    });
    this.host.attach(this.memory);
  }

  /** Calls an import without finishing it. */
  step(name: string, ...args: (number | bigint)[]): Step {
    const plain = this.host.plain[name];
    if (plain !== undefined) return plain(...args);
    return this.host.blocking[name]!.run(...args);
  }

  /** Calls an import and waits for it; gives its errno. */
  call(name: string, ...args: (number | bigint)[]): number {
    return finishStep(this.step(name, ...args), this.#answer);
  }

  get bytes(): Uint8Array {
    return new Uint8Array(this.memory.buffer);
  }

  get view(): DataView {
    return new DataView(this.memory.buffer);
  }

  u32(pointer: number): number {
    return this.view.getUint32(pointer, true);
  }

  u64(pointer: number): bigint {
    return this.view.getBigUint64(pointer, true);
  }

  /** Writes text and gives its pointer and length. */
  put(text: string | Uint8Array, at = FIRST_PATH): [number, number] {
    const bytes = typeof text === "string" ? encoder.encode(text) : text;
    this.bytes.set(bytes, at);
    return [at, bytes.length];
  }

  /** A path in the second place, for imports that take two. */
  putSecond(text: string): [number, number] {
    return this.put(text, SECOND_PATH);
  }

  /** path_open from a folder (3 is the first preopen): a descriptor, or a negative errno. */
  open(
    path: string | Uint8Array,
    {
      oflags = 0,
      rights = READ_WRITE,
      inheriting = READ_WRITE | BigInt(wasi.RIGHTS_FD_READDIR),
      fdflags = 0,
      lookup = 1,
      fd = 3,
    } = {},
  ): number {
    const error = this.call(
      "path_open",
      fd,
      lookup,
      ...this.put(path),
      oflags,
      rights,
      inheriting,
      fdflags,
      RESULT,
    );
    return error === 0 ? this.u32(RESULT) : -error;
  }

  /** Opens a folder. */
  openDirectory(path: string, fd = 3): number {
    const rights = BigInt(2 ** 30 - 1) & ~BigInt(wasi.RIGHTS_FD_WRITE);
    return this.open(path, {
      oflags: wasi.OFLAGS_DIRECTORY,
      rights,
      inheriting: 2n ** 30n - 1n,
      fd,
    });
  }

  /** Writes bytes; gives their number, or a negative errno. */
  write(fd: number, data: string | Uint8Array): number {
    const [pointer, length] = this.put(data, DATA);
    return this.#vectored("fd_write", fd, pointer, length);
  }

  /** Reads; gives the bytes, or a negative errno. */
  read(fd: number, length: number): Uint8Array | number {
    const count = this.#vectored("fd_read", fd, DATA, length);
    return count < 0 ? count : this.bytes.slice(DATA, DATA + count);
  }

  readText(fd: number, length = 65536): string | number {
    const bytes = this.read(fd, length);
    return typeof bytes === "number" ? bytes : decoder.decode(bytes);
  }

  #vectored(name: string, fd: number, pointer: number, length: number): number {
    this.view.setUint32(STRUCT, pointer, true);
    this.view.setUint32(STRUCT + 4, length, true);
    const error = this.call(name, fd, STRUCT, 1, RESULT);
    return error === 0 ? this.u32(RESULT) : -error;
  }

  /** An import that takes a folder and one path. */
  path(name: string, path: string, fd = 3): number {
    return this.call(name, fd, ...this.put(path));
  }

  rename(from: string, to: string, fd = 3, toFd = 3): number {
    return this.call("path_rename", fd, ...this.put(from), toFd, ...this.putSecond(to));
  }

  link(from: string, to: string, fd = 3, toFd = 3): number {
    return this.call("path_link", fd, 0, ...this.put(from), toFd, ...this.putSecond(to));
  }

  symlink(target: string, path: string, fd = 3): number {
    return this.call("path_symlink", ...this.put(target), fd, ...this.putSecond(path));
  }

  readlink(path: string, room = 1024, fd = 3): string | number {
    const error = this.call("path_readlink", fd, ...this.put(path), DATA, room, RESULT);
    return error === 0 ? decoder.decode(this.bytes.slice(DATA, DATA + this.u32(RESULT))) : -error;
  }

  /** Stat by path (following links) or by descriptor. */
  stat(of: string | number, follow = true): Stat | number {
    const error =
      typeof of === "number"
        ? this.call("fd_filestat_get", of, STRUCT)
        : this.call("path_filestat_get", 3, follow ? 1 : 0, ...this.put(of), STRUCT);
    if (error !== 0) return -error;
    const at = (offset: number): bigint => this.u64(STRUCT + offset);
    return {
      dev: at(0),
      ino: at(8),
      type: this.bytes[STRUCT + 16]!,
      nlink: at(24),
      size: at(32),
      atim: at(40),
      mtim: at(48),
      ctim: at(56),
    };
  }

  /** One readdir call: whole entries only, and whether it was the last. */
  readdir(fd: number, room = 4096, cookie = 0n): { entries: DirEntry[]; end: boolean } {
    const error = this.call("fd_readdir", fd, DATA, room, cookie, RESULT);
    if (error !== 0) throw new Error(`fd_readdir gave ${error}`);
    const used = this.u32(RESULT);
    const entries: DirEntry[] = [];
    for (let at = DATA; at + 24 <= DATA + used;) {
      const length = this.u32(at + 16);
      if (at + 24 + length > DATA + used) break;
      entries.push({
        next: this.u64(at),
        ino: this.u64(at + 8),
        type: this.bytes[at + 20]!,
        name: decoder.decode(this.bytes.slice(at + 24, at + 24 + length)),
      });
      at += 24 + length;
    }
    return { entries, end: used < room };
  }

  /** All names of a folder but "." and "..". */
  list(path: string, room = 4096): string[] {
    const fd = this.openDirectory(path);
    if (fd < 0) throw new Error(`open gave ${-fd}`);
    const names: string[] = [];
    let cookie = 0n;
    for (let end = false; !end;) {
      const part = this.readdir(fd, room, cookie);
      for (const entry of part.entries) {
        names.push(entry.name);
        cookie = entry.next;
      }
      end = part.end;
    }
    this.call("fd_close", fd);
    return names.filter((name) => name !== "." && name !== "..");
  }

  text(stream: 1 | 2): string {
    return this.output[stream].map((bytes) => decoder.decode(bytes)).join("");
  }
}

export interface Stat {
  readonly dev: bigint;
  readonly ino: bigint;
  readonly type: number;
  readonly nlink: bigint;
  readonly size: bigint;
  readonly atim: bigint;
  readonly mtim: bigint;
  readonly ctim: bigint;
}

export interface DirEntry {
  readonly next: bigint;
  readonly ino: bigint;
  readonly type: number;
  readonly name: string;
}
