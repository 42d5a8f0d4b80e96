// A stretch of network that a test can break: between a service and what it depends on.
import { connect, createServer, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

export interface TcpProxy {
  port: number;
  /** Cuts every connection; new ones are refused with a reset. */
  cut(): void;
  /** Accepts connections and passes nothing on: the other side is there and silent. */
  hang(): void;
  resume(): void;
  /** Resolves with the next connection that is refused. */
  refused(): Promise<void>;
  close(): Promise<void>;
}

export async function startTcpProxy(target: { host: string; port: number }): Promise<TcpProxy> {
  let mode: 'pass' | 'cut' | 'hang' = 'pass';
  const sockets = new Set<Socket>();
  const refusals: (() => void)[] = [];
  const server = createServer((near) => {
    if (mode === 'cut') {
      near.resetAndDestroy();
      for (const tell of refusals.splice(0)) tell();
      return;
    }
    const far = connect(target);
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(socket);
      socket.on('data', (bytes) => {
        if (mode === 'pass') other.write(bytes);
      });
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const dropAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as AddressInfo).port,
    cut() {
      mode = 'cut';
      dropAll();
    },
    hang() {
      mode = 'hang';
    },
    resume() {
      mode = 'pass';
      // What was swallowed cannot be given back.
      dropAll();
    },
    refused: () => new Promise((resolve) => refusals.push(resolve)),
    async close() {
      dropAll();
      await new Promise<void>((resolve) => server.close(() => resolve()));
    },
  };
}
