// Upper bounds of what a caller may ask for in numbers.

/** Largest limit of a run, profiles: as many people as the pipeline is built for (docs/benchmarks). */
export const profilesPerRunMax = 1_000_000;

/** Runs in one answer of the list, which a person reads. */
export const listLimitDefault = 20;
export const listLimitMax = 200;

/** Names in one report over HTTP; the command lists all. */
export const namesDefault = 1_000;
export const namesMax = 10_000;
