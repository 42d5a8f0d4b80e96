// Load at a rate, or as fast as a number of connections goes.
import { HttpConnection } from '@tradewind/testkit';
import { percentile } from './median.js';

export interface LoadOptions {
  /** `http://127.0.0.1:4000` */
  base: string;
  path: string;
  /** POST unless set. */
  method?: 'GET' | 'POST';
  headers: Record<string, string>;
  /** Further header lines of the n-th request, each ending with CR LF. */
  headersOf?: ((n: number) => string) | undefined;
  /** Body of the n-th request, counted from 0. */
  body: (n: number) => string;
  /** Requests under way at once, each on a connection of its own. */
  connections: number;
  requests: number;
  /** When set, no request begins later than this after the first; then fewer than `requests` are made. */
  seconds?: number;
  /** When set, requests are due at this rate; otherwise the next one follows the answer. */
  ratePerSecond?: number;
}

export interface LoadResult {
  /** Requests made. */
  requests: number;
  requestsPerSecond: number;
  p50Ms: number;
  p99Ms: number;
  /** Answers by status. */
  statuses: Record<number, number>;
}

/** With a rate, the latency of a request counts from the moment it was due, so that a stall shows. */
export async function load(options: LoadOptions): Promise<LoadResult> {
  const latenciesMs: number[] = [];
  const statuses: Record<number, number> = {};
  const base = new URL(options.base);
  const head = Object.entries({ host: base.host, 'content-type': 'application/json', ...options.headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  let next = 0;
  const startedMs = performance.now();
  const endMs = startedMs + (options.seconds ?? Infinity) * 1000;

  const work = async () => {
    const connection = await HttpConnection.open(base);
    try {
      for (;;) {
        const n = next++;
        if (n >= options.requests || performance.now() > endMs) return;
        const dueMs = options.ratePerSecond ? startedMs + (n * 1000) / options.ratePerSecond : performance.now();
        const waitMs = dueMs - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        const body = options.body(n);
        const length = Buffer.byteLength(body);
        const { status } = await connection.send(
          `${options.method ?? 'POST'} ${options.path} HTTP/1.1\r\n${head}${options.headersOf?.(n) ?? ''}content-length: ${length}\r\n\r\n${body}`,
        );
        latenciesMs.push(performance.now() - dueMs);
        statuses[status] = (statuses[status] ?? 0) + 1;
      }
    } finally {
      connection.close();
    }
  };
  await Promise.all(Array.from({ length: options.connections }, work));
  const seconds = (performance.now() - startedMs) / 1000;
  return {
    requests: latenciesMs.length,
    requestsPerSecond: latenciesMs.length / seconds,
    p50Ms: percentile(latenciesMs, 0.5),
    p99Ms: percentile(latenciesMs, 0.99),
    statuses,
  };
}
