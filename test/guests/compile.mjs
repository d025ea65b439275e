// Compiles the C and AssemblyScript test guests; Node only. Used by build.mjs --all.

/** Guests that are compiled, by name: their source under source/. */
export const compiledGuests = {};

export async function compile(name) {
  throw new Error(`no such guest: ${name}`);
}
