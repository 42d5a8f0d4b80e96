// A round-robin HTTP balancer in front of the replicas of one service, as a cluster has it. It looks at `/ready` and
// leaves out replicas that do not answer 200. A request goes to another replica only when the first one took no
// connection. When a replica dies with a request in its hands, the caller's connection breaks: nobody knows the effect.
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';

export interface Target {
  readonly port: number;
}

const host = '127.0.0.1';
const probeIntervalMs = 250;
const probeTimeoutMs = 1_000;
/** Longer than the load waits, so that a request ends by its caller or its replica. */
const answerTimeoutMs = 60_000;

export class Balancer {
  private readonly ready = new Set<Target>();
  private readonly stopping = new AbortController();
  private readonly probing: Promise<void>[];
  private turn = 0;

  private constructor(
    private readonly server: Server,
    private readonly targets: readonly Target[],
  ) {
    this.probing = targets.map((target) => this.watch(target));
    server.on('request', (incoming: IncomingMessage, answer: ServerResponse) => {
      this.forward(incoming, answer, this.inOrder());
    });
  }

  /** Listens on the port; an address that is taken rejects. */
  static async listen(port: number, targets: readonly Target[]): Promise<Balancer> {
    const server = createServer();
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, host, resolve);
    });
    return new Balancer(server, targets);
  }

  /** Whether every replica answered its last probe with 200. */
  get areAllReady(): boolean {
    return this.ready.size === this.targets.length;
  }

  async close(): Promise<void> {
    this.stopping.abort();
    this.server.closeAllConnections();
    await Promise.all([new Promise((resolve) => this.server.close(resolve)), ...this.probing]);
  }

  /** The ready ones in turn, then the others: a balancer may not know yet that one is ready. */
  private inOrder(): Target[] {
    this.turn += 1;
    const turned = this.targets.map((_, index) => this.targets[(index + this.turn) % this.targets.length]!);
    return [...turned.filter((one) => this.ready.has(one)), ...turned.filter((one) => !this.ready.has(one))];
  }

  private forward(incoming: IncomingMessage, answer: ServerResponse, [target, ...others]: Target[]): void {
    if (target === undefined) {
      incoming.socket.destroy();
      return;
    }
    const outgoing = request({
      ...{ host, port: target.port, method: incoming.method, path: incoming.url },
      // A connection for each request: a dead replica is noticed before anything is sent.
      headers: { ...incoming.headers, connection: 'close' },
      agent: false,
      timeout: answerTimeoutMs,
    });
    outgoing.on('response', (received) => {
      answer.writeHead(received.statusCode ?? 502, received.rawHeaders);
      received.on('error', () => answer.destroy());
      received.pipe(answer);
    });
    outgoing.on('timeout', () => outgoing.destroy());
    outgoing.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') this.forward(incoming, answer, others);
      else incoming.socket.destroy();
    });
    answer.on('close', () => outgoing.destroy());
    // The body is sent only after the connection is made: until then it can go to another replica.
    outgoing.on('socket', (socket) => {
      socket.once('connect', () => incoming.pipe(outgoing));
    });
    outgoing.flushHeaders();
  }

  private async watch(target: Target): Promise<void> {
    const { signal } = this.stopping;
    while (!signal.aborted) {
      if (await isReady(target.port)) this.ready.add(target);
      else this.ready.delete(target);
      await sleep(probeIntervalMs, undefined, { signal }).catch(() => undefined);
    }
  }
}

async function isReady(port: number): Promise<boolean> {
  try {
    const answer = await fetch(`http://${host}:${port}/ready`, { signal: AbortSignal.timeout(probeTimeoutMs) });
    await answer.body?.cancel();
    return answer.status === 200;
  } catch {
    return false;
  }
}
