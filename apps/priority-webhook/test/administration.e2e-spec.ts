// Administration over REST: the history of a profile, and webhooks that named none.
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
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
      ...{ dropped_at: null, dropped_by: null, drop_reason: null },
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
      expect.objectContaining({ id, times: 2, dropped_at: null }),
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
