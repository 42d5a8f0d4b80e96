// Requests that leave at a fixed rate, whatever becomes of the earlier ones, as those of many independent callers do.
// The latency of a request counts from the moment at which it was due. So a service that stops answering shows in every
// request that was due meanwhile.
import { HttpConnection, type HttpReply } from '@tradewind/testkit';
import { setTimeout as sleep } from 'node:timers/promises';
import type { LoadRequest, Traffic } from '../operations/operation.types.js';

/** Requests that may be under way; a caller beyond them gets no connection, which counts as no answer. */
const connectionsMax = 4_000;
/** A request without an answer by then has none. */
const answerTimeoutMs = 30_000;

/** What became of one request. */
export interface Sample {
  /** When it was due, milliseconds since the begin of the phase. */
  dueMs: number;
  /** From the moment at which it was due to its answer. */
  latencyMs: number;
  /** Undefined: no answer. */
  status: number | undefined;
  hasRetryAfter: boolean;
  /** How much later than due it left here, because this process was busy, milliseconds. */
  lateMs: number;
}

export interface Phase {
  ratePerSecond: number;
  seconds: number;
}

/** Sends to one service and keeps its connections open from phase to phase. */
export class OpenLoop {
  private readonly idle: HttpConnection[] = [];
  private opened = 0;

  constructor(
    private readonly url: URL,
    private readonly traffic: Traffic,
  ) {}

  /** Resolves once every request has an answer or none will come. */
  async run({ ratePerSecond, seconds }: Phase): Promise<Sample[]> {
    const samples: Sample[] = [];
    const sent: Promise<void>[] = [];
    const begunMs = performance.now();
    const elapsedMs = () => performance.now() - begunMs;
    const dueMsOf = (number: number) => (number * 1000) / ratePerSecond;
    const count = Math.round(ratePerSecond * seconds);
    const send = async (dueMs: number) => {
      const lateMs = elapsedMs() - dueMs;
      // Undefined: none can be made now, which counts as no answer.
      const request = this.traffic.request();
      const reply = request && (await this.reply(request));
      if (reply) this.traffic.answered?.(request, reply);
      const hasRetryAfter = reply !== undefined && /\r\nretry-after: \d/i.test(reply.head);
      samples.push({ dueMs, latencyMs: elapsedMs() - dueMs, status: reply?.status, hasRetryAfter, lateMs });
    };
    for (let next = 0; next < count;) {
      for (; next < count && dueMsOf(next) <= elapsedMs(); next += 1) sent.push(send(dueMsOf(next)));
      // Timers have a resolution of a millisecond.
      await sleep(1);
    }
    await Promise.all(sent);
    return samples;
  }

  close(): void {
    for (const connection of this.idle.splice(0)) connection.close();
  }

  private async reply(request: LoadRequest): Promise<HttpReply | undefined> {
    const connection = await this.connection();
    if (connection === undefined) return undefined;
    const timer = setTimeout(() => connection.close(), answerTimeoutMs);
    try {
      return await connection.send(onTheWire(request, this.url));
    } catch {
      return undefined;
    } finally {
      clearTimeout(timer);
      if (connection.isOpen) this.idle.push(connection);
      else this.opened -= 1;
    }
  }

  private async connection(): Promise<HttpConnection | undefined> {
    for (let idle = this.idle.pop(); idle !== undefined; idle = this.idle.pop()) {
      if (idle.isOpen) return idle;
      this.opened -= 1;
    }
    if (this.opened >= connectionsMax) return undefined;
    this.opened += 1;
    return HttpConnection.open(this.url).catch(() => {
      this.opened -= 1;
      return undefined;
    });
  }
}

function onTheWire({ method, path, headers = {}, body = '' }: LoadRequest, { host }: URL): string {
  const all = { host, ...headers, ...(body === '' ? {} : { 'content-length': String(Buffer.byteLength(body)) }) };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}
