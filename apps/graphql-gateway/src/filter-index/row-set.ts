// The forms in which the columns of the index hold the rows of a value or a range.
import type { Bits, Difference } from './bits.js';

/** As bits where they are many; as positions, in any order, where they are few. */
export type RowSet = { bits: Bits; except?: undefined } | Difference | { positions: Uint32Array };
