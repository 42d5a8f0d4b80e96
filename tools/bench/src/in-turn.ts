// Two servers under the same load in turn, with the processor time that each request took.
import { type BenchProcess, postgresProcessorMs } from './bench-process.js';
import { load, type LoadResult } from './http-load.js';
import { median } from './median.js';

/** Requests under way at once. */
export const connections = 8;
/** Rounds of each server in turn; the figure is the median. */
const rounds = 5;
const secondsPerRound = 1.5;
/** Rows are read from disk before anything counts. */
const warmUpSeconds = 4;
/**
 * V8 goes on optimising for tens of thousands of requests, and what is measured is a service in use. So all servers get
 * the same number of requests before anything counts, the slow ones for at most this time.
 */
const startUpRequests = 40_000;
const startUpSecondsMax = 60;

export interface Target {
  process: BenchProcess;
  path: string;
  headersOf?: (n: number) => string;
  body: (n: number) => string;
}

/** @throws unless every answer is 200. */
export async function send(
  { process, path, headersOf, body }: Target,
  pace: { seconds: number; ratePerSecond?: number; requests?: number },
): Promise<LoadResult> {
  const result = await load({
    base: process.url,
    path,
    headers: {},
    headersOf,
    body,
    connections,
    requests: Number.MAX_SAFE_INTEGER,
    ...pace,
  });
  if (Object.keys(result.statuses).join() !== '200')
    throw new Error(`${process.url}${path} answered ${JSON.stringify(result.statuses)}`);
  return result;
}

/** Warms up processes that were just started. */
export async function bringToSpeed(targets: readonly Target[]): Promise<void> {
  for (const target of targets) await send(target, { requests: startUpRequests, seconds: startUpSecondsMax });
}

export interface Measured {
  requestsPerSecond: number;
  p99Ms: number;
  /** Processor time of one request. */
  nodeMs: number;
  postgresMs: number;
}

export interface InTurn {
  ours: Measured;
  theirs: Measured;
  ratio: number;
}

export async function inTurn(ours: Target, theirs: Target, postmaster: number): Promise<InTurn> {
  const measured = async (target: Target): Promise<Measured> => {
    const nodeMs = target.process.processorMs();
    const postgresMs = postgresProcessorMs(postmaster);
    const { requests, requestsPerSecond, p99Ms } = await send(target, { seconds: secondsPerRound });
    return {
      requestsPerSecond,
      p99Ms,
      nodeMs: (target.process.processorMs() - nodeMs) / requests,
      postgresMs: (postgresProcessorMs(postmaster) - postgresMs) / requests,
    };
  };
  for (const target of [ours, theirs]) await send(target, { seconds: warmUpSeconds });
  const results: { ours: Measured; theirs: Measured }[] = [];
  for (let round = 0; round < rounds; round++) {
    const mine = await measured(ours);
    results.push({ ours: mine, theirs: await measured(theirs) });
  }
  const of = (which: 'ours' | 'theirs'): Measured => {
    const middle = (key: keyof Measured) => median(results.map((result) => result[which][key]));
    return {
      requestsPerSecond: middle('requestsPerSecond'),
      p99Ms: middle('p99Ms'),
      nodeMs: middle('nodeMs'),
      postgresMs: middle('postgresMs'),
    };
  };
  return {
    ours: of('ours'),
    theirs: of('theirs'),
    ratio: median(results.map((result) => result.ours.requestsPerSecond / result.theirs.requestsPerSecond)),
  };
}
