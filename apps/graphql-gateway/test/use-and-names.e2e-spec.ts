/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-call, @typescript-eslint/no-unsafe-return --
   answers are JSON of any shape, and the assertions judge them */
// What pages ask beside the data: use by day and by user, names for a filter, and what happened to an own key.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuditLogService } from '../src/api-keys/audit-log.service.js';
import { LimitsStore } from '../src/rate-limit/limits.store.js';
import { answerOf, startGateway, type Answer, type TestGateway } from './support/gateway.js';

const oneCall = '{ companiesConnection { edges { cursor } } }';

describe('use by day and by user', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  const call = async (token: string, path: string): Promise<Answer> =>
    answerOf(await fetch(`${gateway.replicas[0]!.url}${path}`, { headers: { authorization: `Bearer ${token}` } }));
  const make = async (token: string) => {
    const response = await fetch(`${gateway.replicas[0]!.url}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'k' }),
    });
    return (await response.json()) as { id: string; key: string };
  };
  const signIn = (claims: Record<string, unknown> = {}) => {
    const user = gateway.identity.addUser();
    return { user, token: gateway.identity.dataToken(user, claims) };
  };
  const dayAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString().slice(0, 10);
  const use = (userId: string, days: number, used: number) =>
    gateway.sql.query(`insert into daily_quota (user_id, day, used) values ($1, $2, $3)`, [userId, dayAgo(days), used]);

  it('has each of the last days, also those without a call, and nothing of others', async () => {
    const { user, token } = signIn();
    const { key } = await make(token);
    await gateway.data(key, oneCall);
    await use(user.id, 2, 7);
    await use(user.id, 3, 4);
    expect((await call(token, '/usage/days?days=3')).body).toEqual({
      days: [
        { day: dayAgo(2), data_calls: 7 },
        { day: dayAgo(1), data_calls: 0 },
        { day: dayAgo(0), data_calls: 1 },
      ],
    });
    const { days } = (await call(token, '/usage/days')).body as { days: { data_calls: number }[] };
    expect([days.length, days.reduce((sum, { data_calls: calls }) => sum + calls, 0)]).toEqual([30, 12]);
    const other = (await call(signIn().token, '/usage/days?days=2')).body;
    expect(other.days.map(({ data_calls: calls }: { data_calls: number }) => calls)).toEqual([0, 0]);
    for (const query of ['days=0', 'days=93', 'days=1.5', 'days=x', 'days=', 'days=1&days=2', 'user=x']) {
      expect([query, (await call(token, `/usage/days?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('an administrator sees who called most, page by page; a bound one those of its company alone', async () => {
    await gateway.sql.query('truncate daily_quota');
    const users = [];
    for (const [index, company] of ['acme', 'globex', 'acme'].entries()) {
      const { user, token } = signIn({ user_company_id: company });
      await make(token);
      users.push(user);
      await use(user.id, 1, 5 - (index % 2));
      await use(user.id, 40, 100);
    }
    const admin = signIn({ userRole: 'ADMIN' }).token;
    const pages: Answer['body'][] = [];
    let cursor = '';
    do {
      pages.push((await call(admin, `/admin/usage?limit=1${cursor}`)).body);
      cursor = `&cursor=${pages.at(-1).next_cursor}`;
    } while (pages.at(-1).next_cursor !== null);
    const seen = pages.flatMap((page) => page.users);
    expect(seen.map((each) => [each.data_calls, each.user_company_id])).toEqual([
      [5, 'acme'],
      [5, 'acme'],
      [4, 'globex'],
    ]);
    expect(seen.at(-1)).toEqual({
      ...{ user_id: users[1]!.id, user_email: users[1]!.email, user_company_id: 'globex' },
      ...{ data_calls: 4, last_day: dayAgo(1) },
    });
    const bound = signIn({ userRole: 'ADMIN', user_company_id: 'globex' }).token;
    const { users: own } = (await call(bound, '/admin/usage?days=90')).body;
    expect(own.map((each: { user_id: string; data_calls: number }) => [each.user_id, each.data_calls])).toEqual([
      [users[1]!.id, 104],
    ]);
    for (const query of ['days=0', 'days=93', 'limit=0', 'cursor=x', `days=7&cursor=${pages[0].next_cursor}`]) {
      expect([query, (await call(admin, `/admin/usage?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('an administrator sees the data calls of each day of everybody, a bound one those of its company alone', async () => {
    await gateway.sql.query('truncate daily_quota');
    for (const [company, used] of [
      ['acme', 3],
      ['acme', 4],
      ['globex', 10],
    ] as const) {
      const { user, token } = signIn({ user_company_id: company });
      await make(token);
      await use(user.id, 1, used);
      await use(user.id, 2, 1);
      await use(user.id, 3, 100);
    }
    const list = async (claims: Record<string, unknown>) =>
      (await call(signIn({ userRole: 'ADMIN', ...claims }).token, '/admin/usage/days?days=3')).body.days;
    const days = (...calls: number[]) => calls.map((data_calls, index) => ({ day: dayAgo(2 - index), data_calls }));
    expect(await list({})).toEqual(days(3, 17, 0));
    expect(await list({ user_company_id: 'acme' })).toEqual(days(2, 7, 0));
    expect(await list({ user_company_id: 'nobody' })).toEqual(days(0, 0, 0));
    const { token } = signIn({ userRole: 'ADMIN' });
    expect((await call(token, '/admin/usage/days')).body.days).toHaveLength(30);
    for (const query of ['days=0', 'days=93', 'days=x', 'limit=1']) {
      expect([query, (await call(token, `/admin/usage/days?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('days are kept for as long as they are shown', async () => {
    const { user, token } = signIn();
    await use(user.id, 91, 1);
    await use(user.id, 92, 1);
    await gateway.replicas[0]!.app.get(LimitsStore).removeExpired(new Date(), 60);
    const { rows } = await gateway.sql.query('select from daily_quota where user_id = $1', [user.id]);
    expect(rows).toHaveLength(1);
    expect((await call(token, '/usage/days?days=92')).body.days[0]).toEqual({ day: dayAgo(91), data_calls: 1 });
  });

  it('a user sees what happened to an own key, and nothing of the key of another', async () => {
    const { user, token } = signIn();
    const { id, key } = await make(token);
    await gateway.data(key, `query Nightly ${oneCall}`);
    await gateway.replicas[0]!.app.get(AuditLogService).flush();
    const { body } = await call(token, `/keys/${id}/audit`);
    expect(body).toEqual({
      events: [
        expect.objectContaining({ outcome: 'used', operation: 'Nightly', by: null }),
        expect.objectContaining({ outcome: 'created', by: user.id }),
      ],
      next_cursor: null,
    });
    const first = (await call(token, `/keys/${id}/audit?limit=1`)).body;
    const second = (await call(token, `/keys/${id}/audit?limit=1&cursor=${first.next_cursor}`)).body;
    expect([...first.events, ...second.events]).toEqual(body.events);
    expect((await call(signIn().token, `/keys/${id}/audit`)).status).toBe(404);
    expect((await call(token, `/keys/${id}/audit?cursor=x`)).status).toBe(400);
  });

  it('names that begin like a text are as the filters take them, and cost no data call', async () => {
    const { token } = signIn();
    expect((await call(token, '/names?of=country&text=SWI')).body).toEqual({ names: ['Switzerland'] });
    expect((await call(token, '/names?of=skill&text=speak')).body).toEqual({ names: ['Public Speaking'] });
    const { names: regions } = (await call(token, '/names?of=region')).body;
    expect(regions).toHaveLength(20);
    const { key } = await make(token);
    const { names: places } = (await call(token, '/names?of=location&text=d')).body;
    expect(places.length).toBeGreaterThan(2);
    const { body } = await gateway.data(
      key,
      'query ($searchFilters: InputCompanySearchFilters) { companiesConnection(searchFilters: $searchFilters) { totalCount } }',
      { searchFilters: { headquarters: [{ values: places }] } },
    );
    expect(body.errors).toBeUndefined();
    expect((await call(token, '/usage')).body.data_calls.used).toBe(1);
    for (const query of ['', 'of=x', 'text=x', 'of=country&of=skill', 'of=country&text=x&text=y', 'of=constructor']) {
      expect([query, (await call(token, `/names?${query}`)).status]).toEqual([query, 400]);
    }
    expect((await call(token, `/names?of=country&text=${'x'.repeat(301)}`)).status).toBe(400);
    expect((await call(token, '/names?of=location&text=%00%F0%9F%92%A9')).body).toEqual({ names: [] });
  });
});
