import type { FuzzRequest } from '../request/fuzz-request.js';
import type { Answer, Sender } from '../request/send.js';
import type { Meter } from '../../src/meter.js';
import type { ServiceName } from '../../src/service-names.js';
import type { Target } from '../../src/target.types.js';

export interface RunContext {
  target: Target;
  sender: Sender;
  meters: ReadonlyMap<ServiceName, Meter>;
  /** What work that began before may still take to end, milliseconds. */
  settleMs: number;
}

export interface Exchange extends RunContext {
  request: FuzzRequest;
  answer: Answer;
  mustBeRefused: boolean;
  /** Requests to this service before this one, newest last. */
  earlier: readonly FuzzRequest[];
  /** A fault was found and fast-check looks for a smaller one: every request counts. */
  isShrinking: boolean;
}

/** What must be true of each answer. */
export interface RequestRule {
  name: string;
  /** One sentence when it is not true. */
  check(exchange: Exchange): Promise<string | undefined> | string | undefined;
}

/** What must be true of a run, or of a part of it. */
export interface RunRule {
  name: string;
  /** Looks at the begin; resolves with the look at the end, which has a sentence for each thing that is not true. */
  begin(context: RunContext): Promise<() => Promise<string[]> | string[]>;
}
