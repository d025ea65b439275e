// Text by code points, not UTF-16 units: cutting, counting, lone surrogates; page, worker and Node.

/** The first `count` characters (code points) of a text. */
export function cut(text: string, count: number): string {
  if (text.length <= count) return text;
  let end = 0;
  for (let taken = 0; taken < count && end < text.length; taken++) {
    end += (text.codePointAt(end) as number) > 0xffff ? 2 : 1;
  }
  return text.slice(0, end);
}

// With the "u" flag a surrogate matches only where it is not part of a pair.
const LONE_SURROGATE = /\p{Surrogate}/u;

/** Whether a string holds a surrogate that is not part of a pair. */
export function hasLoneSurrogate(text: string): boolean {
  return LONE_SURROGATE.test(text);
}

/** The number of code points of a text. */
export function codePoints(text: string): number {
  let count = text.length;
  for (let i = 1; i < text.length; i++) {
    if ((text.charCodeAt(i) & 0xfc00) === 0xdc00 && (text.charCodeAt(i - 1) & 0xfc00) === 0xd800) {
      count--;
    }
  }
  return count;
}
