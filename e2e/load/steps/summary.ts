import { createHistogram } from 'node:perf_hooks';
import type { Sample } from '../generator/open-loop.js';

export interface Summary {
  sent: number;
  /** Answered 2xx. */
  served: number;
  /** Answered 429 or 503 with Retry-After. */
  refused: number;
  /** Everything else by status; `none` without an answer. */
  failed: Readonly<Record<string, number>>;
  /** Of the served requests, milliseconds; 0 without any. */
  p50Ms: number;
  p99Ms: number;
  /** Of the refused requests, milliseconds; 0 without any. */
  refusalP99Ms: number;
  /** How much later than due 99 of 100 requests left the generator, milliseconds. */
  lateP99Ms: number;
}

export function summaryOf(samples: readonly Sample[]): Summary {
  const served = samples.filter(isServed);
  const refused = samples.filter(isRefusal);
  const failed: Record<string, number> = {};
  for (const sample of samples) {
    if (isServed(sample) || isRefusal(sample)) continue;
    const status = String(sample.status ?? 'none');
    failed[status] = (failed[status] ?? 0) + 1;
  }
  const latencies = (of: readonly Sample[]) => of.map(({ latencyMs }) => latencyMs);
  return {
    sent: samples.length,
    served: served.length,
    refused: refused.length,
    failed,
    p50Ms: percentile(latencies(served), 50),
    p99Ms: percentile(latencies(served), 99),
    refusalP99Ms: percentile(latencies(refused), 99),
    lateP99Ms: percentile(
      samples.map(({ lateMs }) => lateMs),
      99,
    ),
  };
}

export function isServed({ status }: Sample): boolean {
  return status !== undefined && status >= 200 && status < 300;
}

function isRefusal({ status, hasRetryAfter }: Sample): boolean {
  return (status === 429 || status === 503) && hasRetryAfter;
}

/** To the nearest tenth of a percent. */
function percentile(valuesMs: readonly number[], percent: number): number {
  if (valuesMs.length === 0) return 0;
  const histogram = createHistogram();
  // It takes whole numbers from 1.
  for (const ms of valuesMs) histogram.record(Math.max(1, Math.round(ms * 1000)));
  return histogram.percentile(percent) / 1000;
}
