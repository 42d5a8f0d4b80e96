// Asks servers for filters: one after the other, or over several connections, and notes each answer.
import { HttpConnection } from '@tradewind/testkit';
import type { DrawnFilter } from './drawn-filters.js';

export interface FilterRequest {
  /** Further header lines, each ending with CR LF. */
  headers: string;
  body: string;
}

/** What an answer of status 200 holds. */
export interface Found {
  count: number;
  ids: readonly string[];
}

export interface FilterServer {
  url: string;
  path: string;
  /** Undefined when the server has no words for the filter. */
  request(drawn: DrawnFilter): FilterRequest | undefined;
  /** Undefined when the body is an error. */
  found(body: string): Found | undefined;
}

export interface FilterAnswer {
  drawn: DrawnFilter;
  ms: number;
  /** Milliseconds of `performance.now()`. */
  endedMs: number;
  status: number;
  found: Found | undefined;
  /** Of an answer that is none. */
  fault?: string;
}

export interface Asked {
  answers: FilterAnswer[];
  /** From the first request to the last answer. */
  seconds: number;
  /** While every connection had a request under way: how long, and how many answers came. */
  busy: { seconds: number; answers: number };
}

/**
 * Asks for each filter once. Filters that the server has no words for are left out. Requests are written before, and
 * answers are read after it, because both would take the processor from the servers.
 */
export async function askAll(
  server: FilterServer,
  filters: readonly DrawnFilter[],
  { connections, endMs = Infinity }: { connections: number; endMs?: number },
): Promise<Asked> {
  const base = new URL(server.url);
  const asked = filters.flatMap((drawn) => {
    const request = server.request(drawn);
    if (!request) return [];
    const length = Buffer.byteLength(request.body);
    const head = `POST ${server.path} HTTP/1.1\r\nhost: ${base.host}\r\ncontent-type: application/json\r\n`;
    return [{ drawn, text: `${head}${request.headers}content-length: ${length}\r\n\r\n${request.body}` }];
  });
  const opened = await Promise.all(Array.from({ length: connections }, () => HttpConnection.open(base)));
  const received: { drawn: DrawnFilter; startedMs: number; endedMs: number; status: number; body: string }[] = [];
  let next = 0;
  let busyUntilMs = Infinity;
  const work = async (first: HttpConnection) => {
    let connection = first;
    for (let place = next++; place < asked.length && performance.now() < endMs; place = next++) {
      const { drawn, text } = asked[place]!;
      if (!connection.isOpen) connection = await HttpConnection.open(base);
      const startedMs = performance.now();
      const { status, body } = await connection.send(text);
      received.push({ drawn, startedMs, endedMs: performance.now(), status, body });
    }
    busyUntilMs = Math.min(busyUntilMs, performance.now());
    connection.close();
  };
  // What other turns left would be collected meanwhile, and all requests under way would wait for it.
  globalThis.gc?.();
  const begunMs = performance.now();
  await Promise.all(opened.map(work));
  const seconds = (performance.now() - begunMs) / 1000;
  const answers = received.map(({ drawn, startedMs, endedMs, status, body }) => {
    const found = status === 200 ? server.found(body) : undefined;
    return { drawn, ms: endedMs - startedMs, endedMs, status, found, ...(!found && { fault: body.slice(0, 300) }) };
  });
  const busy = {
    seconds: (busyUntilMs - begunMs) / 1000,
    answers: answers.filter(({ endedMs }) => endedMs <= busyUntilMs).length,
  };
  return { answers, seconds, busy };
}
