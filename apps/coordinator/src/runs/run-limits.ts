// Upper bounds of what a caller may ask for in numbers.

/** Most profiles that one run may be told to publish; as many people as the pipeline is made for (docs/benchmarks). */
export const profilesPerRunMax = 1_000_000;

/** Runs of one page of the list: an answer that a person reads. */
export const listLimitDefault = 20;
export const listLimitMax = 200;

/** Names in one report over HTTP; the command lists all. */
export const namesDefault = 1_000;
export const namesMax = 10_000;
