// The types of embed-guest-halves.mjs for the tests; Node.
export function shrink(
  text: string,
  half: { extension: string; comments: readonly string[] },
): string;
export function guestHalves(): Record<string, string>;
