// All operations at once at rates that leave the machine room, for minutes or hours.
import { setTimeout as sleep } from 'node:timers/promises';
import type { Meter } from '../../src/meter.js';
import type { OpenLoop } from '../generator/open-loop.js';
import type { LoadOperation } from '../operations/operation.types.js';
import { lowestOfThirds, type Thirds } from './lowest-of-thirds.js';
import { type Summary, summaryOf } from './summary.js';

const readIntervalMs = 5_000;
const heapGrowthBytesMax = 24 * 2 ** 20;
const handlesGrowthMax = 20;

export interface SoakResult {
  services: {
    service: string;
    heap: Thirds;
    handles: Thirds;
    memoryBytes: { first: number; last: number };
    isSameProcess: boolean;
  }[];
  operations: { operation: LoadOperation; summary: Summary }[];
}

export async function soak(
  parts: readonly { operation: LoadOperation; loop: OpenLoop }[],
  meters: readonly Meter[],
  seconds: number,
): Promise<SoakResult> {
  let isRunning = true;
  const reading = (async () => {
    while (isRunning) {
      await Promise.all(meters.map((meter) => meter.read().catch(() => undefined)));
      await sleep(readIntervalMs);
    }
  })();
  const operations = await Promise.all(
    parts.map(async ({ operation, loop }) => {
      const samples = await loop.run({ ratePerSecond: operation.soakPerSecond, seconds });
      return { operation, summary: summaryOf(samples) };
    }),
  );
  isRunning = false;
  await reading;
  const services = meters.map(({ service, readings }) => ({
    service,
    heap: lowestOfThirds(readings.map(({ heapBytes }) => heapBytes)),
    handles: lowestOfThirds(readings.map(({ openHandles }) => openHandles)),
    memoryBytes: { first: readings[0]!.memoryBytes, last: readings.at(-1)!.memoryBytes },
    isSameProcess: readings.every(({ startedAt }) => startedAt === readings[0]!.startedAt),
  }));
  return { services, operations };
}

export function soakFindings({ services, operations }: SoakResult): string[] {
  return [
    ...services.flatMap(({ service, heap, handles, isSameProcess }) => [
      ...(heap.after - heap.before > heapGrowthBytesMax ? [`${service}: the heap grew`] : []),
      ...(handles.after - handles.before > handlesGrowthMax ? [`${service}: open handles grew`] : []),
      ...(isSameProcess ? [] : [`${service} was restarted`]),
    ]),
    ...operations
      .filter(({ summary }) => summary.served < summary.sent)
      .map(
        ({ operation: { service, name }, summary: { sent, served } }) =>
          `${service}, ${name}: ${sent - served} of ${sent} requests were not served`,
      ),
  ];
}
