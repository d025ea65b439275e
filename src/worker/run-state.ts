// What is known of a run while it lasts; worker.

import type { BlockingUnsupported } from "../wire/blocking-call.ts";
import { GuestClock } from "./guest-clock.ts";
import type { WasiExit } from "./wasi.ts";

/** A run's end is decided by these, not by how the guest returned. */
export interface RunState {
  instance?: WebAssembly.Instance;
  memory?: WebAssembly.Memory;
  readonly clock: GuestClock;
  exit?: WasiExit;
  ranOut: boolean;
  unsupported?: BlockingUnsupported;
}

/** Of a run that begins. */
export function newRunState(timeoutMs: number): RunState {
  return { ranOut: false, clock: new GuestClock(timeoutMs) };
}
