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
const warmUpSeconds = 2;
/**
 * V8 goes on optimising for tens of thousands of requests, and what is measured is a service in use. So all servers get
 * the same number of requests before anything counts, the slow ones for at most this time.
 */
const startUpRequests = 40_000;
const startUpSecondsMax = 30;

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

/**
 * The same load on each server in turn, round by round, so that all of them meet the same machine.
 * @returns the medians of each server's rounds; `ratio` is how many times its requests the first server answered
 */
export async function inTurn<Name extends string>(
  targets: Record<Name, Target>,
  postmaster: number,
): Promise<Record<Name, Measured & { ratio: number }>> {
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
  const names = Object.keys(targets) as Name[];
  for (const name of names) await send(targets[name], { seconds: warmUpSeconds });
  const results: Record<Name, Measured>[] = [];
  for (let round = 0; round < rounds; round++) {
    const result = {} as Record<Name, Measured>;
    for (const name of names) result[name] = await measured(targets[name]);
    results.push(result);
  }
  const middle = (of: (result: Record<Name, Measured>) => number) => median(results.map(of));
  const summary = (name: Name) => ({
    requestsPerSecond: middle((result) => result[name].requestsPerSecond),
    p99Ms: middle((result) => result[name].p99Ms),
    nodeMs: middle((result) => result[name].nodeMs),
    postgresMs: middle((result) => result[name].postgresMs),
    ratio: middle((result) => result[names[0]!].requestsPerSecond / result[name].requestsPerSecond),
  });
  return Object.fromEntries(names.map((name) => [name, summary(name)])) as Record<Name, Measured & { ratio: number }>;
}
