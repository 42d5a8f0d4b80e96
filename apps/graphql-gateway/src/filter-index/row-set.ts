// The forms in which the columns of the index hold the rows of a value or a range.
import type { BitsWithout } from './bits.js';

/** As bits where they are many; as positions, in any order, where they are few. */
export type RowSet = BitsWithout | { positions: Uint32Array };
