// A provider whose answers hold characters that PostgreSQL cannot store. Outcomes of starts are recorded in groups, and
// the good ones of a group must be recorded whatever the others contain.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { eventually, profiles, startApp, type TestApp } from './priority-api-app.js';

jest.setTimeout(120_000);

interface OddAnswer {
  status: number;
  headers?: Record<string, string>;
  body: string;
}

/** A word in the handle chooses the answer. */
const oddAnswers: Record<string, OddAnswer> = {
  nul: { status: 400, body: '{"error":"a\u0000b \u001b[31m"}' },
  halfword: { status: 422, body: `${'x'.repeat(475)}${'😀'.repeat(20)}` },
  patience: { status: 500, headers: { 'retry-after': '1e300' }, body: '{}' },
  badid: { status: 201, body: '{"id":"scrape\\u0000"}' },
  longid: { status: 201, body: `{"id":"${'x'.repeat(5_000)}"}` },
};

describe('a provider with odd answers', () => {
  let server: Server;
  let app: TestApp;
  beforeAll(async () => {
    server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        if (request.method === 'GET') return void response.end('{"scrapes":[]}');
        const { username } = JSON.parse(Buffer.concat(chunks).toString()) as { username: string };
        const odd = oddAnswers[username.split('-')[1] ?? ''] ?? { status: 201, body: `{"id":"scrape-${username}"}` };
        response.writeHead(odd.status, odd.headers).end(odd.body);
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    app = await startApp({
      PROVIDER_BASE_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
      START_PARALLEL: '32',
      PROVIDER_SLOTS: '64',
    });
  });
  afterAll(async () => {
    await app.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it.each(Object.keys(oddAnswers))('records the good outcomes of a group that holds %s', async (word) => {
    const good = profiles(12, `good-fine-${word}`);
    const batch = good.toSpliced(6, 0, ...profiles(1, `odd-${word}`));
    await app.push({ profiles: batch });
    await eventually(async () => {
      const rows = await app.query<{ state: string; scrape_id: string }>(
        `select state, scrape_id from profile_call where network_username like $1`,
        [`good-fine-${word}-%`],
      );
      expect(rows.map(({ state }) => state)).toEqual(good.map(() => 'started'));
    }, 10_000);
    // The others are recorded too: as refused, or as unsettled until the provider is asked again.
    await eventually(async () => {
      const [row] = await app.query<{ state: string }>('select state from profile_call where network_username = $1', [
        `odd-${word}-0`,
      ]);
      expect(row!.state).not.toBe('starting');
    }, 10_000);
  });
});
