// The little that the bench uses of packages that are only installed when it runs them; page and worker.

declare module "coincident/main" {
  const coincident: () => {
    Worker: new (url: string | URL) => Worker & { proxy: Record<string, unknown> };
    native: boolean;
  };
  export default coincident;
}

declare module "coincident/worker" {
  const coincident: () => Promise<{
    proxy: { count(args: { n: number; pad: string }): { n: number } };
    native: boolean;
  }>;
  export default coincident;
}

declare module "@extism/extism" {
  export interface CallContext {
    read(offset: bigint): { json(): { args: { n: number } } };
    store(text: string): bigint;
  }
  export function createPlugin(
    module: WebAssembly.Module,
    options: {
      runInWorker: boolean;
      functions: Record<
        string,
        Record<string, (context: CallContext, offset: bigint) => bigint | Promise<bigint>>
      >;
    },
  ): Promise<{
    call(name: string, input: Uint8Array): Promise<unknown>;
    reset(): Promise<boolean>;
    close(): Promise<void>;
  }>;
}

declare module "@runno/wasi" {
  interface Options {
    args: readonly string[];
    env: Record<string, string>;
    stdout: (text: string) => void;
    stderr: (text: string) => void;
    stdin: () => null;
    fs: Record<string, object>;
  }
  export class WASI {
    static start(module: Promise<Response>, options: Options): Promise<unknown>;
    constructor(options: Options);
    getImportObject(): WebAssembly.Imports;
    start(wasm: { module: WebAssembly.Module; instance: WebAssembly.Instance }): unknown;
  }
}
