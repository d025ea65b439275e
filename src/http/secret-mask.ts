// Takes the page's credentials out of everything a guest or a record may see; page, worker and Node.
//
// A server may repeat what it was sent. Each occurrence is overwritten with as many asterisks, so that lengths, offsets
// and UTF-8 stay as they were. Bodies are searched while they stream, in one pass and linear time (Knuth-Morris-Pratt).
// A server that encodes or splits a secret is beyond this: give credentials only to hosts trusted with them.

import { HTTP_SECRET_CHARACTERS } from "../limits.ts";

const STAR = 0x2a;
/** Values kept; a page whose tokens change with every request would grow the search without end. */
const SECRETS_KEPT = 8;

interface Needle {
  readonly text: string;
  readonly bytes: Uint8Array;
  /** For each matched length, the longest shorter match that is its suffix. */
  readonly fallback: Int32Array;
}

/** The secrets of one door. */
export class SecretMask {
  /** By secret, the oldest first. */
  private readonly needles = new Map<string, Needle[]>();

  /** Learns a header value that is about to be sent. */
  add(value: string): void {
    if (this.needles.has(value)) return;
    const oldest = this.needles.keys().next();
    if (this.needles.size >= SECRETS_KEPT && !oldest.done) this.needles.delete(oldest.value);
    this.needles.set(value, spellings(value).map(compile));
  }

  /** The text without secrets. */
  text(text: string): string {
    let masked = text;
    for (const { text: secret } of this.all()) {
      masked = masked.replaceAll(secret, "*".repeat(secret.length));
    }
    return masked;
  }

  /** A search over one body, or undefined when there is nothing to look for. */
  stream(): MaskStream | undefined {
    const needles = this.all();
    return needles.length === 0 ? undefined : new MaskStream(needles);
  }

  private all(): Needle[] {
    return [...this.needles.values()].flat();
  }
}

/** The search over one body: holds back no more than the beginning of a secret. */
export class MaskStream {
  private readonly needles: readonly Needle[];
  private readonly matched: Int32Array;
  private held: Uint8Array = new Uint8Array(0);

  constructor(needles: readonly Needle[]) {
    this.needles = needles;
    this.matched = new Int32Array(needles.length);
  }

  /** The next bytes that are clear of secrets. */
  push(chunk: Uint8Array): Uint8Array {
    const data = new Uint8Array(this.held.byteLength + chunk.byteLength);
    data.set(this.held);
    data.set(chunk, this.held.byteLength);
    let longest = 0;
    this.needles.forEach((needle, index) => {
      const state = search(needle, data, this.held.byteLength, this.matched[index]!, chunk);
      this.matched[index] = state;
      longest = Math.max(longest, state);
    });
    this.held = data.slice(data.byteLength - longest);
    return data.subarray(0, data.byteLength - longest);
  }

  /** What was held back. */
  end(): Uint8Array {
    return this.held;
  }
}

/** Runs one needle over `chunk`, blanking matches in `data`, which holds the same bytes from `offset` on. */
function search(
  { bytes, fallback }: Needle,
  data: Uint8Array,
  offset: number,
  matched: number,
  chunk: Uint8Array,
): number {
  let state = matched;
  for (let at = 0; at < chunk.byteLength; at += 1) {
    if (state === 0) {
      // Nearly all bytes are skipped here, at the speed of the engine's own search.
      at = chunk.indexOf(bytes[0]!, at);
      if (at < 0) return 0;
    }
    const byte = chunk[at];
    while (state > 0 && byte !== bytes[state]) state = fallback[state]!;
    if (byte === bytes[state]) state += 1;
    if (state === bytes.byteLength) {
      const end = offset + at + 1;
      data.fill(STAR, end - bytes.byteLength, end);
      state = fallback[state]!;
    }
  }
  return state;
}

function compile(text: string): Needle {
  const bytes = new TextEncoder().encode(text);
  const fallback = new Int32Array(bytes.byteLength + 1);
  let state = 0;
  for (let at = 1; at < bytes.byteLength; at += 1) {
    while (state > 0 && bytes[at] !== bytes[state]) state = fallback[state]!;
    if (bytes[at] === bytes[state]) state += 1;
    fallback[at + 1] = state;
  }
  return { text, bytes, fallback };
}

/** A value, what follows its scheme ("Bearer …"), and how JSON and URLs spell both; the longest first. */
function spellings(value: string): string[] {
  const found = new Set<string>();
  const scheme = /^\S+\s+(\S.*)$/.exec(value);
  for (const text of [value, scheme?.[1]]) {
    if (text === undefined) continue;
    for (const spelled of [text, JSON.stringify(text).slice(1, -1), encodeURIComponent(text)]) {
      if (spelled.length >= HTTP_SECRET_CHARACTERS) found.add(spelled);
    }
  }
  return [...found].toSorted((one, other) => other.length - one.length);
}
