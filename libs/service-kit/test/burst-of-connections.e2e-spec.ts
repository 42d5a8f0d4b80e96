import { readFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Module } from '@nestjs/common';
import { configClass, createLogger, defineService, startService, type RunningService } from '../src/index.js';

@Module({})
class EmptyModule {}
const service = defineService({
  name: 'burst',
  config: class extends configClass({}) {},
  module: () => ({ module: EmptyModule }),
});

/** In /proc/net/tcp. SYN sent: the kernel has no place for the connection, and sends it again after a second. */
const [established, synSent] = ['01', '02'];

describe('a service that takes no connections for a moment', () => {
  let running: RunningService;
  const sockets: Socket[] = [];
  beforeAll(async () => {
    const logger = createLogger({ service: 'burst', level: 'fatal' });
    running = await startService(service, { env: { ENVIRONMENT: 'dev', PORT: '0' }, logger });
  });
  afterAll(async () => {
    sockets.forEach((socket) => socket.destroy());
    await running.close();
  });

  it('has a thousand connections wait, and drops none', async () => {
    if (process.platform !== 'linux') {
      process.stderr.write('not checked: only Linux lists the states of connections in /proc/net/tcp\n');
      return;
    }
    const { port } = new URL(running.url);
    for (let count = 0; count < 1_000; count += 1) {
      sockets.push(connect(Number(port), '127.0.0.1').on('error', () => undefined));
    }
    // The connections begin in this tick. The service is this process, and takes none before the event loop goes on.
    await new Promise<void>((resolve) => process.nextTick(resolve));
    const remote = `0100007F:${Number(port).toString(16).toUpperCase().padStart(4, '0')}`;
    const states = readFileSync('/proc/net/tcp', 'utf8')
      .split('\n')
      .map((line) => line.trim().split(/\s+/))
      .filter(([, , address]) => address === remote)
      .map(([, , , state]) => state)
      // Others are of an earlier server on this port.
      .filter((state) => state === established || state === synSent);
    expect(states).toHaveLength(1_000);
    expect(states).not.toContain(synSent);
  });
});
