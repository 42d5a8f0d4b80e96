// Sends requests and measures their answers. Each 20 requests come from another loopback address, since limits that
// count by address would otherwise hide what lies behind them.
import { Agent, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { Target } from '../../src/target.types.js';
import { type FuzzRequest, type HttpRequest, marker, type WireRequest } from './fuzz-request.js';

export interface Answer {
  /** Null: the connection ended without an answer. */
  status: number | null;
  /** From the last byte of the request to the end of the answer, milliseconds. */
  ms: number;
  /** Begin of the body. */
  text: string;
}

const requestsOfAddress = 20;
/** Longer than any answer may take, so that a slow one is measured. */
const timeoutMs = 15_000;
const keptCharacters = 2_000;
/** What a server has to answer to a request that never ends. */
const silenceMs = 300;

export class Sender {
  sent = 0;
  private readonly agent = new Agent({ keepAlive: true, maxFreeSockets: 4 });

  /** Part of the texts of this run, so that they differ from those of other runs. */
  private readonly run: string;
  private readonly nowMs: () => number;

  constructor(
    private readonly target: Target,
    { run, nowMs }: { run: string; nowMs: () => number },
  ) {
    this.run = run;
    this.nowMs = nowMs;
  }

  async send(request: FuzzRequest): Promise<Answer> {
    this.sent += 1;
    if (this.sent % requestsOfAddress === 0) this.closeIdle();
    const own = `fz${this.run}${this.sent.toString(36).padStart(8, '0')}`;
    const url = new URL(this.target.urls[request.service] ?? '');
    return request.kind === 'wire' ? this.sendWire(request, url, own) : this.sendHttp(request, url, own);
  }

  /** The begin of every marker of this run. */
  get markerOfRun(): string {
    return `fz${this.run}`;
  }

  close(): void {
    this.agent.destroy();
  }

  /** No later request uses a connection of another address, and thousands of them would look like a leak. */
  private closeIdle(): void {
    for (const sockets of Object.values(this.agent.freeSockets)) sockets?.forEach((socket) => socket.destroy());
  }

  private async sendHttp(request: HttpRequest, { hostname, port }: URL, own: string): Promise<Answer> {
    const body = typeof request.body === 'string' ? request.body.replaceAll(marker, own) : request.body;
    return new Promise((resolve) => {
      let startedMs = this.nowMs();
      const outgoing = httpRequest({
        ...{ hostname, port, agent: this.agent, method: request.method, timeout: timeoutMs },
        path: request.path.replaceAll(marker, own),
        ...this.from(hostname),
        headers: { ...request.headers, ...(body === undefined ? {} : { 'content-length': Buffer.byteLength(body) }) },
      });
      const end = (status: number | null, text: string) => resolve({ status, ms: this.nowMs() - startedMs, text });
      outgoing.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8');
        response.on('data', (chunk: string) => {
          if (text.length < keptCharacters) text += chunk;
        });
        response.on('end', () => end(response.statusCode ?? null, text.slice(0, keptCharacters)));
        response.on('error', () => end(response.statusCode ?? null, text));
      });
      outgoing.on('timeout', () => outgoing.destroy());
      outgoing.on('error', (error) => end(null, error.message));
      outgoing.end(body, () => (startedMs = this.nowMs()));
    });
  }

  private async sendWire({ parts }: WireRequest, { hostname, port }: URL, own: string): Promise<Answer> {
    return new Promise((resolve) => {
      let lastMs = this.nowMs();
      let answeredMs = lastMs;
      let text = '';
      const socket = connect({ host: hostname, port: Number(port), ...this.from(hostname) });
      socket.setEncoding('latin1');
      socket.setTimeout(timeoutMs, () => socket.destroy());
      socket.on('data', (chunk: string) => {
        if (text.length < keptCharacters) text += chunk;
        answeredMs = this.nowMs();
      });
      socket.on('error', () => undefined);
      socket.on('close', () => {
        const status = /^HTTP\/1\.1 (\d{3})/.exec(text)?.[1];
        resolve({ status: status === undefined ? null : Number(status), ms: Math.max(0, answeredMs - lastMs), text });
      });
      const write = (index: number): void => {
        const part = parts[index];
        if (!part || socket.destroyed) {
          lastMs = this.nowMs();
          setTimeout(() => socket.destroy(), silenceMs);
          return;
        }
        setTimeout(() => {
          if (!socket.destroyed) socket.write(part.text.replaceAll(marker, own), 'latin1');
          write(index + 1);
        }, part.pauseMs);
      };
      socket.on('connect', () => write(0));
    });
  }

  private from(hostname: string): { localAddress?: string } {
    // Only Linux has all addresses of 127.0.0.0/8.
    if (hostname !== '127.0.0.1' || process.platform !== 'linux') return {};
    const network = Math.floor(this.sent / requestsOfAddress);
    return {
      localAddress: `127.${1 + (Math.floor(network / 62_500) % 250)}.${Math.floor(network / 250) % 250}.${1 + (network % 250)}`,
    };
  }
}
