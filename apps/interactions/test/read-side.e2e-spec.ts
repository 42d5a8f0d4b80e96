import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startService } from '@tradewind/service-kit';
import { Relay } from '@tradewind/testkit';
import { service } from '../src/service.js';
import { company, InteractionsWorld, person } from './interactions-app.js';

interface Page {
  interactions: { run_id: string | null; job_id: string; network_handle: string; status: string; created_at: string }[];
  next_cursor: string | null;
}

describe('the read side', () => {
  let world: InteractionsWorld;
  const list = '/scraper/network/interactions';
  beforeAll(async () => {
    world = await InteractionsWorld.start();
    world.simulator.setFaults([{ on: 'run', kind: 'fail', target: 'fails' }]);
    for (const [userCompanyId, targets] of [
      ['acme', [person('a'), company('a'), person('fails')]],
      ['acme', [person('b')]],
      ['other', [person('a'), person('c')]],
    ] as const) {
      await world.post(list, { user_company_id: userCompanyId, targets });
    }
    await world.finished();
  });
  afterAll(() => world.stop());

  it('lists every job once, newest first, for any page size', async () => {
    const rows = await world.tracker();
    const newestFirst = rows
      .toSorted((a, b) => b.created_at.getTime() - a.created_at.getTime() || (a.job_id < b.job_id ? 1 : -1))
      .map((row) => row.job_id);
    for (const limit of [1, 2, 5, 6, 7]) {
      const seen: string[] = [];
      let cursor: string | null = '';
      let pages = 0;
      while (cursor !== null) {
        const { body } = await world.get(`${list}?limit=${limit}${cursor ? `&cursor=${cursor}` : ''}`);
        const page = body as Page;
        expect(page.interactions.length).toBeLessThanOrEqual(limit);
        seen.push(...page.interactions.map((interaction) => interaction.job_id));
        cursor = page.next_cursor;
        pages += 1;
      }
      expect(seen).toEqual(newestFirst);
      expect(pages).toBe(Math.ceil(6 / limit));
    }
  });

  it.each([
    ['user_company_id=other', ['a', 'c']],
    ['status=FAILED', ['fails']],
    ['status=FAILED,COMPLETED&user_company_id=acme', ['a', 'a', 'b', 'fails']],
    ['status=FAILED&status=ABORTED', ['fails']],
    ['network_handle=A', ['a', 'a', 'a']],
    ['network_handle=a&entity=COMPANY', ['a']],
    ['entity=COMPANY', ['a']],
    ['created_from=2999-01-01T00:00:00Z', []],
    ['created_before=2999-01-01', ['a', 'a', 'a', 'b', 'c', 'fails']],
  ])('filters by %s', async (query, handles) => {
    const { status, body } = await world.get(`${list}?${query}`);
    expect(status).toBe(200);
    expect((body as Page).interactions.map((interaction) => interaction.network_handle).sort()).toEqual(handles);
  });

  it.each([
    ['limit=0', 'limit'],
    ['limit=201', 'limit'],
    ['limit=x', 'limit'],
    ['status=DONE', 'status'],
    ['entity=person', 'entity'],
    ['created_from=yesterday', 'created_from'],
    // ISO 8601, but nothing that Date reads.
    ['created_from=20261123', 'created_from'],
    ['created_before=2026-W48', 'created_before'],
    ['cursor=nonsense', 'cursor'],
    ['sort=up', 'sort'],
  ])('refuses %s', async (query, field) => {
    const { status, body } = await world.get(`${list}?${query}`);
    expect(status).toBe(400);
    expect((body as { message: string[] }).message[0]).toMatch(new RegExp(`^${field}\\b`));
  });

  it('refuses a cursor of another filter', async () => {
    const { body } = await world.get(`${list}?limit=1&user_company_id=acme`);
    const cursor = (body as Page).next_cursor!;
    expect((await world.get(`${list}?limit=1&user_company_id=acme&cursor=${cursor}`)).status).toBe(200);
    expect((await world.get(`${list}?limit=1&user_company_id=other&cursor=${cursor}`)).status).toBe(400);
  });

  it('shows one job by run id and by job id, with every field of the tracker', async () => {
    const row = (await world.tracker()).find((found) => found.status === 'COMPLETED')!;
    const byRun = await world.get(`${list}/${row.provider_run_id}`);
    const byJob = await world.get(`${list}/${row.job_id}`);
    expect(byRun).toEqual(byJob);
    expect(byRun.body).toEqual({
      job_id: row.job_id,
      run_id: row.provider_run_id,
      network_handle: row.networkUsername,
      entity: row.entityType,
      status: 'COMPLETED',
      user_company_id: row.user_company_id,
      trigger_user_id: null,
      triggered_by: null,
      aborted_by: null,
      posts_count: row.posts_count,
      reactions_count: row.reactions_count,
      comments_count: row.comments_count,
      left_over_count: row.left_over_count,
      cost_usd: Number(row.cost_micro_usd) / 1e6,
      created_at: row.created_at.toISOString(),
      completed_date: row.completed_date!.toISOString(),
      error: null,
    });
  });

  it('shows why a job failed, with a date and without counts', async () => {
    const { body } = await world.get(`${list}?status=FAILED`);
    expect((body as Page).interactions[0]).toMatchObject({
      error: 'The run failed at the provider',
      posts_count: null,
      reactions_count: null,
      comments_count: null,
      completed_date: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as unknown,
    });
  });

  it.each(['nothing', '00000000-0000-4000-8000-000000000000', '%00', 'x'.repeat(300)])(
    'answers 404 for %s',
    async (id) => {
      expect((await world.get(`${list}/${id}`)).status).toBe(404);
    },
  );

  it('shows every item that a job has stored, once, for any page size', async () => {
    const row = (await world.tracker()).find((found) => found.status === 'COMPLETED')!;
    const counts = { post: row.posts_count, comment: row.comments_count, reaction: row.reactions_count };
    const read = async (id: string, kind: string, limit: number) => {
      const items: { id: string; at: string | null }[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const at: string = cursor === '' ? '' : `&cursor=${cursor}`;
        const { status, body } = await world.get(`${list}/${id}/items?kind=${kind}&limit=${limit}${at}`);
        expect(status).toBe(200);
        const page = body as { items: typeof items; next_cursor: string | null };
        expect(page.items.length).toBeLessThanOrEqual(limit);
        items.push(...page.items);
        cursor = page.next_cursor;
      }
      return items;
    };
    for (const [kind, count] of Object.entries(counts)) {
      expect(count).toBeGreaterThan(0);
      const whole = await read(row.job_id, kind, 200);
      expect(whole).toHaveLength(count!);
      expect(new Set(whole.map(({ id }) => id)).size).toBe(count);
      expect(await read(row.provider_run_id!, kind, 3)).toEqual(whole);
      const times = whole.map(({ at }) => at ?? '');
      expect(times).toEqual(times.toSorted().reverse());
    }
    const { body } = await world.get(`${list}/${row.job_id}/items?limit=1`);
    const { items, next_cursor: next } = body as { items: unknown[]; next_cursor: string };
    expect(items[0]).toMatchObject({
      ...{ id: expect.any(String), text: expect.any(String), author_name: expect.any(String) },
      ...{ url: expect.stringMatching(/^https:/), at: expect.stringMatching(/Z$/), reaction_type: null },
    });
    const statusOf = async (path: string) => (await world.get(`${list}/${path}`)).status;
    expect(await statusOf(`${row.job_id}/items?kind=comment&cursor=${next}`)).toBe(400);
    expect(await statusOf(`${row.job_id}/items?kind=like`)).toBe(400);
    expect(await statusOf(`${row.job_id}/items?cursor=nonsense`)).toBe(400);
    expect(await statusOf('nothing/items')).toBe(404);
    const failed = (await world.tracker()).find((found) => found.status === 'FAILED')!;
    expect(await read(failed.job_id, 'post', 10)).toEqual([]);
  });

  it('serves the OpenAPI document and its page', async () => {
    const { body } = await world.get('/openapi.json');
    const paths = Object.keys((body as { paths: object }).paths).filter((path) => !path.startsWith('/admin/'));
    expect(paths.sort()).toEqual([
      '/scraper/network/abort-run',
      '/scraper/network/interactions',
      '/scraper/network/interactions/{run_id}',
      '/scraper/network/interactions/{run_id}/items',
      '/scraper/network/webhook',
    ]);
    const page = await fetch(`${world.url}/docs`);
    expect([page.status, page.headers.get('content-type')]).toEqual([200, expect.stringContaining('text/html')]);
  });

  it('answers health and readiness', async () => {
    expect(await world.get('/health')).toEqual({
      status: 200,
      body: { status: 'healthy', service: 'interactions', environment: 'dev' },
    });
    expect(await world.get('/ready')).toEqual({
      status: 200,
      body: { status: 'ready', service: 'interactions', dependencies: { postgres: 'up', warehouse: 'up' } },
    });
  });

  it('starts and stays ready without the warehouse', async () => {
    const relay = await Relay.to(new URL(world.database.url));
    relay.down();
    const address = new URL(world.database.url);
    address.port = String(relay.port);
    const replica = await startService(service, {
      env: {
        ...world.settings,
        WAREHOUSE_DATABASE_URL: address.href,
        MIGRATE_ON_START: 'true',
        WEBHOOK_BASE_URL: world.url,
        PORT: '0',
        METRICS_PORT: '0',
      },
    });
    const ready = async () => {
      const answer = await fetch(`${replica.url}/ready`);
      return [answer.status, await answer.json()];
    };
    try {
      expect(await ready()).toEqual([
        200,
        {
          status: 'ready',
          service: 'interactions',
          dependencies: { postgres: 'up', warehouse: 'down' },
          degraded: { warehouse: expect.stringContaining('stored later') },
        },
      ]);
      relay.up();
      expect(await ready()).toMatchObject([200, { dependencies: { warehouse: 'up' } }]);
      relay.down();
      const { job_id: id } = (await world.tracker()).find((found) => found.status === 'COMPLETED')!;
      expect((await fetch(`${replica.url}${list}/${id}/items`)).status).toBe(503);
    } finally {
      await replica.close();
      relay.close();
    }
  });

  it('reports the age of the oldest active run and the time to data as metrics', async () => {
    const text = await (await fetch(world.replicas[0]!.metricsUrl)).text();
    expect(text).toMatch(/^tradewind_interactions_oldest_active_run_seconds 0$/m);
    expect(text).toMatch(/^tradewind_interactions_run_completed_total 5$/m);
    expect(text).toMatch(/^tradewind_interactions_run_failed_total\{reason="FAILED"\} 1$/m);
    expect(text).toMatch(/^tradewind_interactions_run_started_total\{entity="PERSON"\} 5$/m);
    expect(text).toMatch(/^tradewind_interactions_data_stored_seconds_count 5$/m);
    expect(text).toMatch(/^tradewind_interactions_items_stored_count_sum\{kind="post"\} [1-9]\d*$/m);
    // The counters count items, as the tracker does, not runs.
    const rows = await world.tracker();
    for (const [kind, column] of [
      ['post', 'posts_count'],
      ['comment', 'comments_count'],
      ['reaction', 'reactions_count'],
    ] as const) {
      const count = rows.reduce((sum, row) => sum + (row[column] ?? 0), 0);
      expect(text).toContain(`tradewind_interactions_items_stored_total{kind="${kind}"} ${count}\n`);
    }
    expect(text).toMatch(/^tradewind_interactions_provider_call_total\{operation="start",outcome="started"\} 6$/m);
    expect(text).toMatch(/^tradewind_interactions_provider_call_total\{operation="items",outcome="found"\} [1-9]\d*$/m);
  });
});
