// Budgets of companies over REST. What a budget does is in budgets.e2e-spec.ts.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { serviceTokenEntry } from '@tradewind/service-kit';
import { InteractionsWorld, person } from './interactions-app.js';

const machine = { authorization: 'Bearer token-of-the-console' };
const machineOfAcme = { authorization: 'Bearer token-of-the-console-of-acme' };

describe('administration of budgets', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({
      settings: {
        ...{ CALLER_AUTH: 'required', OAUTH_ISSUER: 'http://localhost:1', COMPANY_BUDGET_USD: '5' },
        SERVICE_TOKENS: [
          serviceTokenEntry('token-of-the-console', { name: 'console', services: ['interactions'] }),
          serviceTokenEntry('token-of-the-console-of-acme', {
            ...{ name: 'console-of-acme', services: ['interactions'], companyId: 'acme' },
          }),
        ].join(','),
      },
    });
  });
  beforeEach(() => world.empty());
  afterAll(() => world.stop());

  const send = async (method: string, path: string, body?: unknown, headers: Record<string, string> = machine) => {
    const response = await fetch(`${world.url}/admin/budgets${path}`, {
      method,
      headers: { ...headers, ...(body === undefined ? {} : { 'content-type': 'application/json' }) },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: (await response.json()) as never };
  };

  it('sets, shows and clears the budget of a company, and says who did', async () => {
    const month = new Date().toISOString().slice(0, 7);
    const own = { user_company_id: 'acme', is_default: false, spent_usd: 0, reserved_usd: 0 };
    const change = (kind: string, budget_usd: number | null) => ({
      ...{ changed_at: expect.stringMatching(/Z$/), changed_by: 'console', kind, budget_usd },
    });
    expect(await send('PUT', '/acme', { budget_usd: 250.5 })).toEqual({
      status: 200,
      body: { ...own, budget_usd: 250.5, month, days: [], changes: [change('limited', 250.5)] },
    });
    expect((await send('PUT', '/acme', { budget_usd: null })).body).toMatchObject({
      budget_usd: null,
      is_default: false,
    });
    expect((await send('GET', '')).body).toEqual({ budgets: [{ ...own, budget_usd: null }], next_cursor: null });
    expect((await send('DELETE', '/acme')).body).toEqual({
      ...{ ...own, budget_usd: 5, is_default: true, month, days: [] },
      changes: [change('default', null), change('unlimited', null), change('limited', 250.5)],
    });
    expect((await send('GET', '')).body).toEqual({ budgets: [], next_cursor: null });
  });

  it('shows what the runs of a company cost by day', async () => {
    await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets: [person('a')] }, machine);
    await world.finished();
    const { body } = await send('GET', '/acme');
    const shown = body as { spent_usd: number; days: { spent_usd: number }[] };
    expect(shown.spent_usd).toBeGreaterThan(0);
    expect(shown.days.map(({ spent_usd }) => spent_usd)).toEqual([shown.spent_usd]);
    expect((await send('GET', '/acme?month=2020-01')).body).toMatchObject({ month: '2020-01', spent_usd: 0, days: [] });
  });

  it('lists every company once, page by page, whether it has a budget, costs, or both', async () => {
    const names = ['acme', 'Acme', 'zebra', 'émile', '\u{ffee}', '\u{1f600}', 'a b', 'globex', 'initech'];
    for (const name of names.slice(0, 6)) await send('PUT', `/${encodeURIComponent(name)}`, { budget_usd: 1 });
    await send('PUT', '/initech', { budget_usd: 1 });
    await send('DELETE', '/initech');
    await world.sql.query(
      `insert into "company_costsDev" select name, (now() at time zone 'UTC')::date, 250000 from unnest($1::text[]) name`,
      [names.slice(4)],
    );
    const page = async (query: string, headers = machine) =>
      (await send('GET', `?${query}`, undefined, headers)).body as {
        budgets: { user_company_id: string; spent_usd: number; is_default: boolean }[];
        next_cursor: string | null;
      };
    const listed: Awaited<ReturnType<typeof page>>['budgets'] = [];
    let cursor: string | null = null;
    do {
      const { budgets, next_cursor }: Awaited<ReturnType<typeof page>> = await page(
        `limit=2${cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      );
      listed.push(...budgets);
      cursor = next_cursor;
    } while (cursor !== null);
    const sorted = names.toSorted((one, other) => Buffer.compare(Buffer.from(one), Buffer.from(other)));
    expect(listed.map(({ user_company_id }) => user_company_id)).toEqual(sorted);
    const of = (name: string) => listed.find(({ user_company_id }) => user_company_id === name);
    expect(of('\u{1f600}')).toMatchObject({ is_default: false, spent_usd: 0.25 });
    expect(of('initech')).toMatchObject({ is_default: true, spent_usd: 0.25 });
    expect(of('zebra')).toMatchObject({ is_default: false, spent_usd: 0 });
    const { next_cursor } = await page('limit=1');
    for (const query of [`month=2020-01&cursor=${next_cursor}`, 'cursor=x', 'limit=0', 'limit=201', 'limit=1e9'])
      expect((await send('GET', `?${query}`)).status).toBe(400);
    // A cursor of somebody else's list.
    expect((await send('GET', `?cursor=${next_cursor}`, undefined, machineOfAcme)).status).toBe(400);
    expect((await page('limit=1', machineOfAcme)).budgets).toEqual([of('acme')]);
  });

  it('starts and aborts nothing for a company that names the jobs of another one', async () => {
    world.simulator.addFaults([
      { on: 'run', kind: 'fail', target: 'failed' },
      { on: 'run', kind: 'slow', target: 'runs', delayMs: 5_000 },
    ]);
    const targets = [person('failed'), person('runs')];
    await world.post('/scraper/network/interactions', { user_company_id: 'globex', targets }, machine);
    const rows = await world.until((all) => all.some(({ status }) => status === 'FAILED'));
    const before = world.simulator.ledger({ operation: 'run.start' }).length;
    const job_ids = rows.map(({ job_id }) => job_id);
    for (const action of ['re-run', 'abort']) {
      for (const dry_run of [true, false]) {
        const bound = await world.post(`/admin/jobs/${action}`, { job_ids, dry_run }, machineOfAcme);
        expect(bound).toMatchObject({ status: 200, body: { matched: 0, jobs: [], next_cursor: null } });
        const named = { job_ids, dry_run, user_company_id: 'globex' };
        expect((await world.post(`/admin/jobs/${action}`, named, machineOfAcme)).status).toBe(403);
      }
      // The same request of who may, so that it would have matched.
      expect(await world.post(`/admin/jobs/${action}`, { job_ids }, machine)).toMatchObject({ body: { matched: 1 } });
    }
    const after = await world.finished();
    expect(after.map(({ job_id }) => job_id).toSorted()).toEqual(job_ids.toSorted());
    expect(after.map(({ aborted_by, status }) => [aborted_by, status]).toSorted()).toEqual([
      [null, 'COMPLETED'],
      [null, 'FAILED'],
    ]);
    expect(world.simulator.ledger({ operation: 'run.start' })).toHaveLength(before);
    world.simulator.setFaults([]);
  });

  it('lets a company see its own budget, and neither set it nor see that of others', async () => {
    await send('PUT', '/acme', { budget_usd: 1 });
    await send('PUT', '/globex', { budget_usd: 2 });
    const list = (await send('GET', '', undefined, machineOfAcme)).body as { budgets: { user_company_id: string }[] };
    expect(list.budgets.map(({ user_company_id }) => user_company_id)).toEqual(['acme']);
    expect((await send('GET', '/acme', undefined, machineOfAcme)).status).toBe(200);
    expect((await send('GET', '/globex', undefined, machineOfAcme)).status).toBe(403);
    expect((await send('PUT', '/acme', { budget_usd: 100 }, machineOfAcme)).status).toBe(403);
    expect((await send('DELETE', '/acme', undefined, machineOfAcme)).status).toBe(403);
    expect((await send('GET', '/acme')).body).toMatchObject({ budget_usd: 1 });
  });

  it.each<[unknown, string]>([
    [{}, 'budget_usd must be'],
    [{ budget_usd: '10' }, 'budget_usd must be'],
    [{ budget_usd: -1 }, 'budget_usd must be'],
    [{ budget_usd: 1e12 }, 'budget_usd must be'],
    [{ budget_usd: 0.0000001 }, 'budget_usd must be'],
    [{ budget_usd: 1.1234567 }, 'budget_usd must be'],
    [{ budget_usd: 1, kind: 'x' }, 'kind should not exist'],
    [[], 'body must be an object'],
  ])('refuses the budget %j', async (body, message) => {
    const answer = await send('PUT', '/acme', body);
    expect([answer.status, [(answer.body as { message: string }).message].flat().join()]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });

  it.each(['/acme?month=2026-13', '/acme?month=2026', '?month=x', '/%00', `/${'x'.repeat(300)}`])(
    'refuses GET %s',
    async (path) => {
      expect((await send('GET', path)).status).toBe(400);
    },
  );
});
