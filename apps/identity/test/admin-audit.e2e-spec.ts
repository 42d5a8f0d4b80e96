// The audit log over REST.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { AuditStore } from '../src/audit/audit.store.js';
import { AuditEvents } from '../src/operators/audit-events.service.js';
import { Administration, machineToken } from './administration.fixture.js';

interface EventOfAnswer {
  id: string;
  at: string;
  event: string;
  user_id: string | null;
  client_id: string | null;
  ip: string | null;
  details: Record<string, unknown>;
}

const count = 2_500;

describe('the audit log', () => {
  let api: Administration;
  const user = '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11';
  beforeAll(async () => {
    api = await Administration.start();
    // Three of each microsecond, and times that do not rise with the ids.
    await api.query(
      `insert into audit_event (at, event, user_id, client_id, ip, details)
       select '2026-03-01T00:00:00Z'::timestamptz + (((n * 7919) % ${count}) / 3) * interval '1 microsecond',
              'test.' || n % 5, case when n % 2 = 0 then '${user}'::uuid end, case when n % 3 = 0 then 'reports' end,
              '203.0.113.7', '{"by":"operator","n":' || n || '}'
         from generate_series(1, ${count}) n`,
    );
  });
  afterAll(() => api.identity.close());

  const eventsOf = async (query: string) =>
    (await api.everyPage(machineToken, `/audit?limit=200&${query}`, 'events')) as unknown as EventOfAnswer[];
  const exportOf = (query: string) =>
    fetch(`${api.identity.issuer}/admin/audit/export?${query}`, {
      headers: { authorization: `Bearer ${machineToken}` },
    });
  const inMarch = 'since=2026-03-01T00:00:00Z&until=2026-03-02T00:00:00Z';

  it('shows who did what, newest first, each event once', async () => {
    const events = await eventsOf(inMarch);
    const expected = await api.query<{ id: string }>(
      `select id from audit_event where at < '2026-03-02' order by at desc, id desc`,
    );
    expect(events.map(({ id }) => id)).toEqual(expected.map(({ id }) => id));
    const [event] = events;
    const n = Number(event!.details['n']);
    expect(event).toEqual({
      ...{ id: expect.stringMatching(/^\d+$/), at: expect.stringMatching(/^2026-03-01T00:00:00\.\d{3}Z$/) },
      ...{ event: `test.${n % 5}`, user_id: n % 2 === 0 ? user : null, client_id: n % 3 === 0 ? 'reports' : null },
      ...{ ip: '203.0.113.7', details: { by: 'operator', n } },
    });
  });

  it.each<[string, (n: number) => boolean]>([
    [`user_id=${user}`, (n) => n % 2 === 0],
    ['client_id=reports', (n) => n % 3 === 0],
    ['event=test.4', (n) => n % 5 === 4],
    [`user_id=${user}&client_id=reports&event=test.0`, (n) => n % 30 === 0],
    ['event=test.9', () => false],
  ])('finds the events of %s', async (query, isFound) => {
    const found = (await eventsOf(`${inMarch}&${query}`)).map(({ details }) => Number(details['n']));
    const expected = Array.from({ length: count }, (_, index) => index + 1).filter(isFound);
    expect(found.toSorted((a, b) => a - b)).toEqual(expected);
  });

  it('has what an administrator does, with who did it', async () => {
    const admin = await api.admin();
    const made = await api.send(admin.token, 'POST /users', { email: 'new@example.com', password: 'x'.repeat(12) });
    const [event] = await eventsOf(`user_id=${made.body.id}`);
    expect(event).toMatchObject({ event: 'user.created', details: { by: admin.user.id } });
  });

  it('counts the sign-ins of each day, also of one without any', async () => {
    const today = new Date().toISOString().slice(0, 10);
    const daysAgo = (days: number) => new Date(Date.parse(today) - days * 86_400_000).toISOString().slice(0, 10);
    const read = async (query: string) =>
      (await api.send(machineToken, `GET /audit/sign-ins${query}`)) as never as {
        status: number;
        body: { days: { day: string; succeeded: number; failed: number }[] };
      };
    const [before] = (await read('?days=1')).body.days;
    await api.query(
      `insert into audit_event (at, event, details)
       select at::timestamptz, event, '{}' from unnest($1::text[], $2::text[]) as t(at, event)`,
      [
        [`${today}T00:00:00Z`, `${daysAgo(1)}T23:59:59.999999Z`, `${daysAgo(1)}T00:00:00Z`, `${daysAgo(3)}T12:00:00Z`],
        ['login.succeeded', 'login.failed', 'login.succeeded', 'login.succeeded'],
      ],
    );
    expect((await read('?days=3')).body.days).toEqual([
      { day: daysAgo(2), succeeded: 0, failed: 0 },
      { day: daysAgo(1), succeeded: 1, failed: 1 },
      { day: today, succeeded: before!.succeeded + 1, failed: before!.failed },
    ]);
    expect((await read('')).body.days).toHaveLength(30);
    for (const query of ['?days=0', '?days=93', '?days=x']) expect((await read(query)).status).toBe(400);
  });

  it('exports all events of a filter as lines, the same as the pages', async () => {
    const answer = await exportOf(inMarch);
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'application/x-ndjson']);
    const lines = (await answer.text()).split('\n');
    expect(lines.pop()).toBe('');
    expect(lines.map((line) => JSON.parse(line) as EventOfAnswer)).toEqual(await eventsOf(inMarch));
    expect(await (await exportOf('event=nothing')).text()).toBe('');
  });

  it('reads no more of an export than its caller takes, and goes on when a caller leaves', async () => {
    const { app } = api.identity.running;
    const list = jest.spyOn(app.get(AuditStore), 'list');
    for await (const event of app.get(AuditEvents).all({})) if (event.id !== '0') break;
    expect(list).toHaveBeenCalledTimes(1);
    list.mockRestore();
    const leave = new AbortController();
    const response = await fetch(`${api.identity.issuer}/admin/audit/export?${inMarch}`, {
      headers: { authorization: `Bearer ${machineToken}` },
      signal: leave.signal,
    });
    await response.body!.getReader().read();
    leave.abort();
    expect((await (await exportOf(inMarch)).text()).split('\n')).toHaveLength(count + 1);
  });

  it.each([
    ['user_id=x', 'user_id must be a UUID'],
    ['event=', 'event must be'],
    ['client_id=%00', 'client_id must be'],
    ['since=yesterday', 'since must be'],
    ['since=2026-W10', 'since must be'],
    ['until=20261101', 'until must be'],
    ['limit=201', 'limit must be'],
    ['cursor=x', 'cursor must be'],
    ['by=x', 'by should not exist'],
    [`cursor=${Buffer.from('[1,"1","x"]').toString('base64url')}`, 'cursor must be'],
  ])('refuses a list with %s', async (query, message) => {
    const { status, body } = await api.send(machineToken, `GET /audit?${query}`);
    expect([status, [body.message].flat().join()]).toEqual([400, expect.stringContaining(message)]);
  });

  it('takes a cursor for the filter that it came from, and for no other', async () => {
    const { body } = await api.send(machineToken, 'GET /audit?event=test.1&limit=2');
    const cursor = encodeURIComponent(body.next_cursor!);
    expect((await api.send(machineToken, `GET /audit?event=test.1&cursor=${cursor}`)).status).toBe(200);
    expect((await api.send(machineToken, `GET /audit?event=test.2&cursor=${cursor}`)).status).toBe(400);
  });
});
