// The version of the tool protocol, apart from the code that judges frames, which is loaded by the first door; everywhere.

/** The version of the tool protocol that this host speaks. */
export const PROTOCOL = 1;
