// Load over plain sockets, because a client library would use more processor time than some of the services under test.
import { connect, type Socket } from 'node:net';
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
  const { port, hostname, host } = new URL(options.base);
  const head = Object.entries({ host, 'content-type': 'application/json', ...options.headers })
    .map(([name, value]) => `${name}: ${value}\r\n`)
    .join('');
  let next = 0;
  const startedMs = performance.now();
  const endMs = startedMs + (options.seconds ?? Infinity) * 1000;

  const work = async () => {
    const connection = await Connection.open(Number(port), hostname);
    try {
      for (;;) {
        const n = next++;
        if (n >= options.requests || performance.now() > endMs) return;
        const dueMs = options.ratePerSecond ? startedMs + (n * 1000) / options.ratePerSecond : performance.now();
        const waitMs = dueMs - performance.now();
        if (waitMs > 0) await new Promise((resolve) => setTimeout(resolve, waitMs));
        const body = options.body(n);
        const length = Buffer.byteLength(body);
        const status = await connection.send(
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

/** One keep-alive connection, one request at a time; answers need a content-length, as Fastify's have. */
class Connection {
  private received = '';
  private waiting: { resolve: (status: number) => void; reject: (error: Error) => void } | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setNoDelay(true);
    socket.setEncoding('latin1');
    socket.on('data', (chunk: string) => this.take(chunk));
    socket.on('error', (error) => this.waiting?.reject(error));
    socket.on('close', () => this.waiting?.reject(new Error('the server closed the connection')));
  }

  static open(port: number, host: string): Promise<Connection> {
    return new Promise((resolve, reject) => {
      const socket = connect(port, host, () => resolve(new Connection(socket)));
      socket.once('error', reject);
    });
  }

  send(request: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.waiting = { resolve, reject };
      this.socket.write(request);
    });
  }

  close(): void {
    this.waiting = undefined;
    this.socket.destroy();
  }

  private take(chunk: string): void {
    this.received += chunk;
    const headEnd = this.received.indexOf('\r\n\r\n');
    if (headEnd < 0) return;
    const length = Number(/\r\ncontent-length: (\d+)/i.exec(this.received.slice(0, headEnd))?.[1] ?? 0);
    if (this.received.length < headEnd + 4 + length) return;
    const status = Number(this.received.slice(9, 12));
    this.received = '';
    const { waiting } = this;
    this.waiting = undefined;
    waiting?.resolve(status);
  }
}
