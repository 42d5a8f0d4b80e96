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

/** Asks for each filter once. Filters that the server has no words for are left out. */
export async function askAll(
  server: FilterServer,
  filters: readonly DrawnFilter[],
  { connections, endMs = Infinity }: { connections: number; endMs?: number },
): Promise<FilterAnswer[]> {
  const base = new URL(server.url);
  const asked = filters.flatMap((drawn) => {
    const request = server.request(drawn);
    return request ? [{ drawn, request }] : [];
  });
  const answers: FilterAnswer[] = [];
  let next = 0;
  const work = async () => {
    let connection = await HttpConnection.open(base);
    for (let place = next++; place < asked.length && performance.now() < endMs; place = next++) {
      const { drawn, request } = asked[place]!;
      if (!connection.isOpen) connection = await HttpConnection.open(base);
      const startedMs = performance.now();
      const { status, body } = await connection.send(
        `POST ${server.path} HTTP/1.1\r\nhost: ${base.host}\r\ncontent-type: application/json\r\n${request.headers}content-length: ${Buffer.byteLength(request.body)}\r\n\r\n${request.body}`,
      );
      const endedMs = performance.now();
      const found = status === 200 ? server.found(body) : undefined;
      answers.push({
        drawn,
        ms: endedMs - startedMs,
        endedMs,
        status,
        found,
        ...(!found && { fault: body.slice(0, 300) }),
      });
    }
    connection.close();
  };
  await Promise.all(Array.from({ length: connections }, work));
  return answers;
}
