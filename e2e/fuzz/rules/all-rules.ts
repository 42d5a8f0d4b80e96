import { answersInTime } from './answers-in-time.js';
import { answersLeakNothing } from './answers-leak-nothing.js';
import { browsersStaySignedIn } from './browsers-stay-signed-in.js';
import { errorLogsQuoteNothing } from './error-logs-quote-nothing.js';
import { eventLoopIsFree } from './event-loop-is-free.js';
import { memoryIsFlat } from './memory-is-flat.js';
import { everyRequestIsAnswered } from './every-request-is-answered.js';
import { noServerErrors } from './no-server-errors.js';
import { nobodyDies } from './nobody-dies.js';
import { refusals } from './refusals.js';
import type { RequestRule, RunRule } from './rule.types.js';

export const requestRules: readonly RequestRule[] = [
  noServerErrors,
  everyRequestIsAnswered,
  refusals,
  answersLeakNothing,
  answersInTime,
  eventLoopIsFree,
];
/** Of the whole run. `refusedWriteNothing` is about its first part alone. */
export const runRules: readonly RunRule[] = [nobodyDies, memoryIsFlat, errorLogsQuoteNothing, browsersStaySignedIn];
