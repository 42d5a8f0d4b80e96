/** Synthetic rows take ids above this one, so that they never meet imported rows. */
export const syntheticIdBase = 1_000_000_000;

/** Streams of random numbers, one for each kind of row. */
export const streams = { company: 1, person: 2, deal: 3, contact: 4 } as const;
