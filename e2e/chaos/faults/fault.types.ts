import type { Random } from '@tradewind/provider-simulator';
import type { PartName } from '../log/log.types.js';
import type { ChaosPlatform } from '../platform/platform.js';

/** One fault of a run, drawn from the seed before it strikes. */
export interface Fault {
  /** For the report, such as `identity-2`. */
  detail: string;
  /** What does not work as it should, for the accountant. */
  parts: readonly PartName[];
  /** What it acts on, such as `identity-2`. Two faults that act on the same never overlap. */
  actsOn: readonly string[];
  /** How long it lasts; the plan decides unless given. */
  lengthMs?: number;
  begin(): Promise<void> | void;
  /** Undoes it. */
  end(): Promise<void> | void;
}

/** A kind of fault: a file in this folder and a line in all-faults.ts. */
export interface FaultKind {
  name: string;
  draw(platform: ChaosPlatform, random: Random): Fault;
}
