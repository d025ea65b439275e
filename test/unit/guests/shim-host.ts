// A scripted host for guests on the plain WASI shim: host::call, /dev/door and /dev/http answered in place; Node, tests only.
import {
  ConsoleStdout,
  Directory,
  Fd,
  File,
  Inode,
  OpenFile,
  PreopenDirectory,
  WASI,
  WASIProcExit,
  wasi,
} from "@bjorn3/browser_wasi_shim";

/** Answers a request; undefined stands for "no host function". */
export type Script = (request: Uint8Array) => Uint8Array;

/** A tree of files: text, bytes or a folder. */
export interface Tree {
  readonly [name: string]: string | Uint8Array | Inode | Tree;
}

export interface GuestOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly stdin?: string;
  readonly files?: Tree;
  /** Answers host::call and, under /dev/door, the device. */
  readonly door?: Script;
  /** Answers /dev/http and subako_http. */
  readonly http?: Script;
}

export interface GuestResult {
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const encoder = new TextEncoder();

/** A device: a written line is the request, what is read is its answer and a line feed. State is per descriptor. */
class DeviceFd extends Fd {
  readonly #answer: Script;
  #request: Uint8Array[] = [];
  #pending = new Uint8Array(0);

  constructor(answer: Script) {
    super();
    this.#answer = answer;
  }

  override fd_fdstat_get(): { ret: number; fdstat: wasi.Fdstat } {
    const fdstat = new wasi.Fdstat(wasi.FILETYPE_CHARACTER_DEVICE, 0);
    fdstat.fs_rights_base = 0xffff_ffffn;
    return { ret: 0, fdstat };
  }

  override fd_filestat_get(): { ret: number; filestat: wasi.Filestat } {
    return { ret: 0, filestat: new wasi.Filestat(0n, wasi.FILETYPE_CHARACTER_DEVICE, 0n) };
  }

  override fd_filestat_set_size(): number {
    return 0;
  }

  override fd_seek(): { ret: number; offset: bigint } {
    return { ret: 0, offset: 0n };
  }

  override fd_tell(): { ret: number; offset: bigint } {
    return { ret: 0, offset: 0n };
  }

  override fd_write(data: Uint8Array): { ret: number; nwritten: number } {
    const end = data.indexOf(10);
    const taken = end < 0 ? data.length : end + 1;
    this.#request.push(data.slice(0, taken));
    if (end >= 0) {
      const request = Buffer.concat(this.#request).subarray(0, -1);
      this.#request = [];
      this.#pending = new Uint8Array(Buffer.concat([this.#answer(request), encoder.encode("\n")]));
    }
    return { ret: 0, nwritten: taken };
  }

  override fd_read(size: number): { ret: number; data: Uint8Array } {
    const data = this.#pending.slice(0, size);
    this.#pending = this.#pending.slice(data.length);
    return { ret: 0, data };
  }
}

class DeviceInode extends Inode {
  readonly #answer: Script;

  constructor(answer: Script) {
    super();
    this.#answer = answer;
  }

  override path_open(): { ret: number; fd_obj: Fd } {
    return { ret: 0, fd_obj: new DeviceFd(this.#answer) };
  }

  override stat(): wasi.Filestat {
    return new wasi.Filestat(this.ino, wasi.FILETYPE_CHARACTER_DEVICE, 0n);
  }
}

function contents(tree: Tree): Map<string, Inode> {
  const entries = new Map<string, Inode>();
  for (const [name, value] of Object.entries(tree)) {
    if (value instanceof Inode) entries.set(name, value);
    else if (typeof value === "string") entries.set(name, new File(encoder.encode(value)));
    else if (value instanceof Uint8Array) entries.set(name, new File(value));
    else entries.set(name, new Directory(contents(value)));
  }
  return entries;
}

/** host::call for an instance that exists only after linking. */
function hostCall(instance: () => WebAssembly.Instance, door: Script | undefined) {
  let inside = false;
  return (at: number, length: number, outAt: number, outLength: number): number => {
    if (door === undefined) return -1;
    if (inside) return -2;
    inside = true;
    try {
      const { memory, host_alloc: allocate } = instance().exports as {
        memory: WebAssembly.Memory;
        host_alloc: (length: number) => number;
      };
      const answer = door(
        new Uint8Array(memory.buffer).slice(at >>> 0, (at >>> 0) + (length >>> 0)),
      );
      const place = allocate(answer.length) >>> 0;
      if (place === 0 || place + answer.length > memory.buffer.byteLength) return -2;
      new Uint8Array(memory.buffer).set(answer, place);
      const view = new DataView(memory.buffer);
      view.setUint32(outAt, place, true);
      view.setUint32(outLength, answer.length, true);
      return 0;
    } catch (error) {
      if (error instanceof WASIProcExit) throw error;
      return -2;
    } finally {
      inside = false;
    }
  };
}

function httpImports(instance: () => WebAssembly.Instance, http: Script | undefined) {
  let held: Uint8Array | undefined;
  const memory = () => new Uint8Array((instance().exports.memory as WebAssembly.Memory).buffer);
  return {
    request(at: number, length: number): number {
      const bytes = memory();
      if (http === undefined || (at >>> 0) + (length >>> 0) > bytes.length) return -1;
      held = http(bytes.slice(at >>> 0, (at >>> 0) + (length >>> 0)));
      return held.length;
    },
    read_response(at: number, length: number): number {
      if (held === undefined) return -2;
      if (length !== held.length) return -3;
      memory().set(held, at >>> 0);
      held = undefined;
      return 0;
    },
  };
}

/** Imports that the shim does not know answer ENOSYS, so that stock interpreters with extensions link. */
function linkage(module: WebAssembly.Module, known: WebAssembly.Imports): WebAssembly.Imports {
  const imports: WebAssembly.Imports = { ...known };
  for (const { module: from, name, kind } of WebAssembly.Module.imports(module)) {
    if (kind !== "function") continue;
    const own = (imports[from] ??= {});
    if (!(name in own)) imports[from] = { ...own, [name]: () => wasi.ERRNO_NOSYS };
  }
  return imports;
}

function collect(into: Uint8Array[]): ConsoleStdout {
  return new ConsoleStdout((bytes: Uint8Array) => {
    into.push(bytes.slice());
  });
}

/** Runs a command to its end. Throws what a trapping guest throws. */
export function runGuest(module: WebAssembly.Module, options: GuestOptions = {}): GuestResult {
  const out: Uint8Array[] = [];
  const err: Uint8Array[] = [];
  const devices: Record<string, Inode> = {};
  if (options.door) devices["door"] = new DeviceInode(options.door);
  if (options.http) devices["http"] = new DeviceInode(options.http);
  const shim = new WASI(
    ["guest", ...(options.args ?? [])],
    Object.entries(options.env ?? {}).map(([key, value]) => `${key}=${value}`),
    [
      new OpenFile(new File(encoder.encode(options.stdin ?? ""))),
      collect(out),
      collect(err),
      new PreopenDirectory("/", contents({ ...options.files, dev: devices })),
    ],
    { debug: false },
  );
  let instance: WebAssembly.Instance | undefined = undefined;
  const linked = () => instance as unknown as WebAssembly.Instance;
  instance = new WebAssembly.Instance(
    module,
    linkage(module, {
      wasi_snapshot_preview1: shim.wasiImport,
      host: { call: hostCall(linked, options.door) },
      subako_http: httpImports(linked, options.http),
      env: { memory: new WebAssembly.Memory({ initial: 2, maximum: 64 }) },
    }),
  );
  const exitCode = shim.start(
    instance as { exports: { memory: WebAssembly.Memory; _start: () => unknown } },
  );
  return {
    exitCode,
    stdout: Buffer.concat(out).toString(),
    stderr: Buffer.concat(err).toString(),
  };
}
