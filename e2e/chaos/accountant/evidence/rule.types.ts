import type { Evidence } from './evidence.types.js';

/** What must be true after a run: a file in rules/ and a line in accountant.ts. */
export interface Rule {
  name: string;
  /** One sentence for each thing that is wrong. */
  check(evidence: Evidence): string[];
}
