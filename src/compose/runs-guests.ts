// The mark of tools that run guests; page and Node.

/** Marks entries of tools that run guests, also in copies of them. */
export const RUNS_GUESTS: unique symbol = Symbol("sallyport.runsGuests");
