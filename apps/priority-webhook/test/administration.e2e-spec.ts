// Administration over REST: the history of a profile, and webhooks that named none.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db } from '@tradewind/service-kit';
import pg from 'pg';
import { UnusablePayloadsStore } from '../src/unusable/unusable-payloads.store.js';
import { eventually, profileBody, serviceToken, startApp, type TestApp } from './priority-webhook-app.js';

let app: TestApp;
beforeAll(async () => {
  app = await startApp();
});
afterAll(() => app.close());

const send = async (method: string, path: string, body?: unknown) => {
  const response = await fetch(`${app.url}/admin${path}`, {
    method,
    headers: {
      authorization: `Bearer ${serviceToken}`,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};
const everyPage = async (path: string, list: string): Promise<Record<string, unknown>[]> => {
  const all: Record<string, unknown>[] = [];
  let cursor = '';
  do {
    const { status, body } = await send('GET', `${path}${path.includes('?') ? '&' : '?'}limit=2${cursor}`);
    expect(status).toBe(200);
    all.push(...(body[list] as Record<string, unknown>[]));
    const next = body['next_cursor'] as string | null;
    cursor = next === null ? '' : `&cursor=${encodeURIComponent(next)}`;
  } while (cursor !== '');
  return all;
};
const stored = () => eventually(async () => expect(await app.query('select from open_delivery')).toEqual([]));

describe('the history of a profile', () => {
  it('has every delivery once, latest first, with what is stored', async () => {
    for (let count = 0; count < 5; count += 1)
      await app.deliver(profileBody('historian', { headline: `Job ${count}` }));
    await app.deliver(profileBody('somebody-else'));
    await stored();
    const deliveries = await everyPage('/profiles/historian/deliveries', 'deliveries');
    expect(deliveries).toHaveLength(5);
    expect(new Set(deliveries.map(({ id }) => id)).size).toBe(5);
    const names = deliveries.map(({ object_name }) => String(object_name));
    expect(names).toEqual(names.toSorted().toReversed());
    expect(deliveries[0]).toEqual({
      ...{ id: expect.stringMatching(/^\d+$/), month: expect.stringMatching(/^\d{4}-\d{2}$/), status: 'SUCCESS' },
      ...{ received_at: expect.stringMatching(/Z$/), reason: null, is_stored: true, is_backed_up: true },
      object_name: expect.stringContaining('historian'),
    });
    expect(await everyPage('/profiles/HISTORIAN/deliveries', 'deliveries')).toEqual(deliveries);
    expect(await everyPage('/profiles/nobody-yet/deliveries', 'deliveries')).toEqual([]);
    const one = await send('GET', `/profiles/historian/deliveries/${String(deliveries[0]!['id'])}`);
    expect(one).toMatchObject({ status: 200, body: { ...deliveries[0], source: 'backup' } });
    expect(one.body['profile']).toEqual(
      JSON.parse((await app.objects.read(app.running.config.OBJECT_STORE_BUCKET, names[0]!)) ?? 'null'),
    );
  });

  it('shows what came when the backup is gone', async () => {
    await app.deliver(profileBody('restored'));
    await stored();
    const [delivery] = await everyPage('/profiles/restored/deliveries', 'deliveries');
    const path = `/profiles/restored/deliveries/${String(delivery!['id'])}`;
    const before = (await send('GET', path)).body;
    await rm(join(app.objectDir), { recursive: true });
    const after = (await send('GET', path)).body;
    expect([before['source'], after['source']]).toEqual(['backup', 'inbox']);
    expect(after['profile']).toMatchObject(profileBody('restored'));
  });

  it.each([
    ['/profiles/restored/deliveries/987654', 404],
    ['/profiles/historian/deliveries/x', 400],
    ['/profiles/historian/deliveries/%00', 400],
    ['/profiles/%00/deliveries', 400],
    ['/profiles/a%2Fb/deliveries', 400],
    ['/profiles/historian/deliveries?cursor=x', 400],
    ['/profiles/historian/deliveries?limit=0', 400],
    ['/profiles/historian/deliveries?month=2026-11', 400],
  ])('answers GET %s by %i', async (path, status) => {
    expect((await send('GET', path)).status).toBe(status);
  });

  it('gives no delivery of another profile', async () => {
    await app.deliver(profileBody('of-another'));
    const [delivery] = await everyPage('/profiles/of-another/deliveries', 'deliveries');
    expect((await send('GET', `/profiles/historian/deliveries/${String(delivery!['id'])}`)).status).toBe(404);
  });
});

describe('unusable webhooks', () => {
  it('are shown latest first with their body, and put aside with a reason until they come again', async () => {
    for (const url of ['one', 'two', 'three']) expect((await app.deliver({ url })).status).toBe(400);
    const shown = await everyPage('/unusable-webhooks', 'unusable_webhooks');
    expect(shown).toHaveLength(3);
    const { id } = shown[0]!;
    expect(shown[0]).toEqual({
      ...{ id: expect.stringMatching(/^[0-9a-f]{64}$/), reason: expect.any(String), times: 1, correlation_id: null },
      ...{ first_received_at: expect.stringMatching(/Z$/), last_received_at: expect.stringMatching(/Z$/) },
      ...{ dropped_at: null, last_dropped_at: null, dropped_by: null, drop_reason: null },
    });
    const { body } = await send('GET', `/unusable-webhooks/${String(id)}`);
    const sent = body['body'] as { url: string };
    expect(['one', 'two', 'three']).toContain(sent.url);
    const answers = await Promise.all(
      [1, 2, 3].map(() => send('POST', `/unusable-webhooks/${String(id)}/drop`, { reason: 'a test' })),
    );
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(await everyPage('/unusable-webhooks', 'unusable_webhooks')).toHaveLength(2);
    expect(await everyPage('/unusable-webhooks?with_dropped=true', 'unusable_webhooks')).toContainEqual(
      expect.objectContaining({ id, dropped_by: 'test', drop_reason: 'a test' }),
    );
    await app.deliver(sent);
    expect(await everyPage('/unusable-webhooks', 'unusable_webhooks')).toContainEqual(
      expect.objectContaining({
        ...{ id, times: 2, dropped_at: null, dropped_by: 'test', drop_reason: 'a test' },
        last_dropped_at: expect.stringMatching(/Z$/),
      }),
    );
    expect((await send('POST', `/unusable-webhooks/${String(id)}/drop`, { reason: 'again' })).body).toMatchObject({
      drop_reason: 'again',
    });
  });

  it('are on one page each, also those of one millisecond, and read from an index', async () => {
    await app.query(
      `insert into unusable_payload (fingerprint, reason, body, first_received_at, last_received_at, dropped_at)
       select encode(sha256(n::text::bytea), 'hex'), 'url', '{}', now(), '2020-01-01T00:00:00.123Z'::timestamptz + n % 7 * interval '1 microsecond',
         case when n % 3 = 0 then now() end
       from generate_series(1, 40) n`,
    );
    const count = async (query: string) => {
      const ids = (await everyPage(`/unusable-webhooks${query}`, 'unusable_webhooks'))
        .filter(({ last_received_at }) => last_received_at === '2020-01-01T00:00:00.123Z')
        .map(({ id }) => id);
      expect(new Set(ids).size).toBe(ids.length);
      return ids.length;
    };
    expect([await count(''), await count('?with_dropped=true')]).toEqual([27, 40]);
  });

  it.each([
    [false, 'unusable_payload_open'],
    [true, 'unusable_payload_latest'],
  ])('a later page seeks its place in an index; with dropped ones: %s', async (withDropped, index) => {
    const plans: string[] = [];
    const db = {
      rows: async (text: string, values: unknown[]) => {
        const client = new pg.Client({ connectionString: app.databaseUrl, options: '-c search_path=priority_webhook' });
        await client.connect();
        await client.query('set enable_seqscan = off; set enable_bitmapscan = off');
        const { rows } = await client.query<{ 'QUERY PLAN': string }>(`explain (costs off) ${text}`, values);
        await client.end();
        plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
        return [];
      },
    };
    const after = { micros: 1.7e15, id: 'a' };
    await new UnusablePayloadsStore(db as unknown as Db).list({ after, limit: 51, withDropped });
    expect(plans.join()).toMatch(
      new RegExp(`^Limit\\n.*Index Scan Backward using ${index} .*\\n.*Index Cond: \\(ROW\\(`),
    );
  });

  it.each<[string, string, unknown, number]>([
    ['GET', `/unusable-webhooks/${'f'.repeat(64)}`, undefined, 404],
    ['POST', `/unusable-webhooks/${'f'.repeat(64)}/drop`, { reason: 'x' }, 404],
    ['GET', '/unusable-webhooks/x', undefined, 400],
    ['GET', '/unusable-webhooks/%00', undefined, 400],
    ['POST', `/unusable-webhooks/${'f'.repeat(64)}/drop`, {}, 400],
    ['POST', `/unusable-webhooks/${'f'.repeat(64)}/drop`, { reason: 'a\0' }, 400],
    ['POST', `/unusable-webhooks/${'f'.repeat(64)}/drop`, { reason: 'x', by: 'me' }, 400],
    ['GET', '/unusable-webhooks?cursor=x', undefined, 400],
    ['GET', '/unusable-webhooks?limit=201', undefined, 400],
    ['GET', '/unusable-webhooks?with_dropped=1', undefined, 400],
  ])('answers %s %s with %j by %i', async (method, path, body, status) => {
    expect((await send(method, path, body)).status).toBe(status);
  });
});
