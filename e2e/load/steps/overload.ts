// One operation at 1, 2 and 4 times what a pod holds, and at half of it right after.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Meter } from '../../src/meter.js';
import type { OpenLoop } from '../generator/open-loop.js';
import type { LoadOperation } from '../operations/operation.types.js';
import { findRate, isHeld, ratePerSecondMax } from './find-rate.js';
import { recoveryMs } from './recovery.js';
import { type Summary, summaryOf } from './summary.js';

const factors = [1, 2, 4] as const;
/** Each attempt at a rate. */
const attemptSeconds = 2;
const recoverySeconds = 5;
/** How often the rate is lowered when the first step does not hold it. */
const attemptsMax = 5;
const readIntervalMs = 1_000;
/** What the service still does in the background is done by then, unless the provider limits it. */
const restMs = 2_000;

export interface OverloadStep {
  factor: number;
  ratePerSecond: number;
  summary: Summary;
  /** Highest of the step, bytes. */
  memoryBytes: number;
  /** Most file descriptors of the step. */
  handles: number;
}

export interface OverloadResult {
  operation: LoadOperation;
  heldPerSecond: number;
  memoryBytesBefore: number;
  steps: OverloadStep[];
  /** Undefined: not within the phase. */
  recoveryMs: number | undefined;
  isSameProcess: boolean;
}

export async function overload(
  { operation, loop, meter, seconds }: { operation: LoadOperation; loop: OpenLoop; meter: Meter; seconds: number },
  report: (line: string) => void,
): Promise<OverloadResult> {
  const before = await meter.read();
  const heldPerSecond = await findRate(operation, async (ratePerSecond) => {
    const summary = summaryOf(await loop.run({ ratePerSecond, seconds: attemptSeconds }));
    report(`  ${ratePerSecond}/s: p99 ${Math.round(summary.p99Ms)} ms, ${summary.served} of ${summary.sent} served`);
    await sleep(restMs / 4);
    return summary;
  });
  const result: OverloadResult = {
    ...{ operation, heldPerSecond, steps: [], recoveryMs: undefined },
    memoryBytesBefore: before.memoryBytes,
    isSameProcess: true,
  };
  if (heldPerSecond === 0) return result;
  const step = async (factor: number): Promise<OverloadStep> => {
    await sleep(restMs);
    const ratePerSecond = Math.min(factor * result.heldPerSecond, ratePerSecondMax);
    const { value: samples, readings } = await whileReading(meter, loop.run({ ratePerSecond, seconds }));
    return {
      ...{ factor, ratePerSecond, summary: summaryOf(samples) },
      memoryBytes: Math.max(...readings.map(({ memoryBytes }) => memoryBytes)),
      handles: Math.max(...readings.map(({ openHandles }) => openHandles)),
    };
  };
  for (const factor of factors) {
    let taken = await step(factor);
    // Work that piles up in the background shows only in a longer step.
    for (let again = 0; factor === 1 && !isHeld(taken.summary, operation.p99MsMax) && again < attemptsMax; again += 1) {
      result.heldPerSecond = Math.round(result.heldPerSecond / 1.5);
      taken = await step(factor);
    }
    result.steps.push(taken);
  }
  const after = await loop.run({ ratePerSecond: result.heldPerSecond / 2, seconds: recoverySeconds });
  result.recoveryMs = recoveryMs(after, operation.p99MsMax);
  result.isSameProcess = (await meter.read()).startedAt === before.startedAt;
  return result;
}

async function whileReading<T>(meter: Meter, work: Promise<T>) {
  const from = meter.readings.length;
  const isDone = work.then(
    () => true,
    () => true,
  );
  for (;;) {
    // A busy service may answer its metrics late, or not at all.
    await meter.read().catch(() => undefined);
    if (await Promise.race([isDone, sleep(readIntervalMs, false)])) break;
  }
  await meter.read();
  return { value: await work, readings: meter.readings.slice(from) };
}
