// A server that does not answer: the client closes the connection, and only then. One that ends a connection while it
// opens: the process goes on.
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import pg from 'pg';
import { isDatabaseUnavailable } from './database-failure.js';
import { WatchedClient } from './watched-client.js';

describe('WatchedClient', () => {
  let database: TestDatabase;
  let pool: pg.Pool;
  beforeAll(async () => {
    database = await createTestDatabase({ name: 'no_tables', migrate: async () => undefined });
    const options = { connectionString: database.url, answerTimeoutMs: 1000 };
    pool = new pg.Pool({ ...options, max: 2, Client: WatchedClient });
    pool.on('error', () => undefined);
  });
  afterAll(async () => {
    await pool.end();
    await database.drop();
  });

  it('gives up on a statement without an answer and takes another connection for the next', async () => {
    const startedAt = performance.now();
    const failure: unknown = await pool.query('select pg_sleep(60)').catch((error: unknown) => error);
    expect(failure).toEqual(new Error('Query read timeout'));
    expect(isDatabaseUnavailable(failure)).toBe(true);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect((await pool.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
  });

  it('keeps connections that are idle or whose statements are answered', async () => {
    const busy = await pool.connect();
    const idle = await pool.connect();
    try {
      await idle.query('select 1');
      const until = performance.now() + 4500;
      while (performance.now() < until) await busy.query('select pg_sleep(0.4)');
      expect((await idle.query<{ one: number }>('select 1 as one')).rows).toEqual([{ one: 1 }]);
    } finally {
      busy.release();
      idle.release();
    }
  });

  it('fails a statement, and not the process, when the connection ends in the packet that says it is ready', async () => {
    const message = (type: string, body: string) => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(4 + body.length);
      return Buffer.concat([Buffer.from(type), length, Buffer.from(body)]);
    };
    const [authenticationOk, readyForQuery] = [message('R', '\0\0\0\0'), message('Z', 'I')];
    const fields = ['SFATAL', 'VFATAL', 'C57P01', 'Mterminating connection due to unexpected postmaster exit', '', ''];
    const ended = message('E', fields.join('\0'));
    const server = createServer((socket) => {
      socket.once('data', () => socket.end(Buffer.concat([authenticationOk, readyForQuery, ended])));
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    const ending = new pg.Pool({
      host: '127.0.0.1',
      port,
      answerTimeoutMs: 1000,
      Client: WatchedClient,
    } as pg.PoolConfig);
    try {
      const client = await ending.connect();
      await expect(client.query('select 1')).rejects.toThrow('not queryable');
      client.release();
    } finally {
      await ending.end();
      server.close();
    }
  });
});
