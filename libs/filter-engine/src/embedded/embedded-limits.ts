// What the embedded engine keeps.

/** A caller that reads page after page asks for the same rows again; so do several users of one screen. */
export const selectionsMax = 8;
