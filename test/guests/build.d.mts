// The types of build.mjs for the tests; Node.
export function watGuests(): Promise<string[]>;
export function buildWat(name: string): Promise<Buffer>;
export function sha256(bytes: Uint8Array): string;
export function guestTable(): Promise<string>;
