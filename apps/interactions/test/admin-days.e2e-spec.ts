// Totals of jobs by day over REST.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceTokenEntry } from '@tradewind/service-kit';
import { InteractionsWorld } from './interactions-app.js';

const token = (name: string, companyId?: string) =>
  serviceTokenEntry(`token-of-${name}`, { name, services: ['interactions'], ...(companyId && { companyId }) });
const dayMs = 86_400_000;

interface Answer {
  days: { day: string; completed: number; failed: number; aborted: number; posts: number; cost_usd: number }[];
  pending: number;
  running: number;
  oldest_active_at: string | null;
}

describe('jobs by day', () => {
  let world: InteractionsWorld;
  const today = new Date().toISOString().slice(0, 10);
  const daysAgo = (days: number) => new Date(Date.parse(today) - days * dayMs).toISOString().slice(0, 10);
  beforeAll(async () => {
    world = await InteractionsWorld.start({
      settings: {
        ...{ CALLER_AUTH: 'required', OAUTH_ISSUER: 'http://localhost:1' },
        SERVICE_TOKENS: [token('console'), token('acme', 'acme')].join(','),
      },
    });
    // The last millisecond of a day and the first of the next one, and what is before the span.
    await world.sql.query(
      `insert into "network_interactions_trackerDev" (job_id, "networkUsername", "entityType", status, user_company_id,
         posts_count, comments_count, reactions_count, completed_date, target_key, input, stage, created_at)
       select gen_random_uuid(), 'h' || n, 'PERSON', status, company, case when status = 'COMPLETED' then 10 end,
         case when status = 'COMPLETED' then 20 end, case when status = 'COMPLETED' then 30 end, at, 'PERSON:h' || n, '{}',
         'done', at
       from unnest($1::text[], $2::text[], $3::timestamptz[]) with ordinality as t(company, status, at, n)`,
      [
        ['acme', 'acme', 'globex', 'acme', 'acme', 'acme'],
        ['COMPLETED', 'FAILED', 'COMPLETED', 'ABORTED', 'COMPLETED', 'COMPLETED'],
        [
          `${today}T00:00:00Z`,
          ...[`${daysAgo(1)}T23:59:59.999Z`, `${daysAgo(1)}T12:00:00Z`, `${daysAgo(1)}T12:00:00Z`],
          ...[`${daysAgo(2)}T00:00:00Z`, `${daysAgo(3)}T23:59:59.999Z`],
        ],
      ],
    );
    await world.sql.query(
      `insert into "company_costsDev" values ('acme', $1, 250000), ('globex', $1, 500000), ('acme', $2, 750000)`,
      [today, daysAgo(3)],
    );
  });
  afterAll(() => world.stop());

  const read = async (query = '', name = 'console') => {
    const response = await fetch(`${world.url}/admin/jobs/days${query}`, {
      headers: { authorization: `Bearer token-of-${name}` },
    });
    return { status: response.status, body: (await response.json()) as Answer };
  };
  const ended = (day: string, [completed, failed, aborted]: [number, number, number], cost_usd = 0) => ({
    ...{ day, completed, failed, aborted, cost_usd },
    ...{ posts: completed * 10, comments: completed * 20, reactions: completed * 30 },
  });

  it('counts outcomes, items and costs of each day, also of one without jobs, and what runs now', async () => {
    expect(await read('?days=3')).toEqual({
      status: 200,
      body: {
        days: [ended(daysAgo(2), [1, 0, 0]), ended(daysAgo(1), [1, 1, 1]), ended(today, [1, 0, 0], 0.75)],
        ...{ pending: 0, running: 0, oldest_active_at: null },
      },
    });
    const { days } = (await read()).body;
    expect(days).toHaveLength(30);
    expect(days.at(-4)).toEqual(ended(daysAgo(3), [1, 0, 0], 0.75));
    expect(days.at(-5)).toEqual(ended(daysAgo(4), [0, 0, 0]));
  });

  it('shows a caller of a company the jobs and costs of that company alone', async () => {
    expect((await read('?days=2', 'acme')).body.days).toEqual([
      ended(daysAgo(1), [0, 1, 1]),
      ended(today, [1, 0, 0], 0.25),
    ]);
  });

  it('counts jobs that wait and run', async () => {
    const columns = `(job_id, "networkUsername", "entityType", status, user_company_id, target_key, input, stage, due_at)`;
    await world.sql.query(
      `insert into "network_interactions_trackerDev" ${columns}
       select gen_random_uuid(), 'a' || n, 'PERSON', (array['PENDING', 'RUNNING', 'RUNNING'])[n], 'acme', 'PERSON:a' || n,
         '{}', (array['queued', 'following', 'storing'])[n], 'infinity' from generate_series(1, 3) as n`,
    );
    const { body } = await read('?days=1');
    expect(body).toMatchObject({ pending: 1, running: 2, oldest_active_at: expect.stringMatching(/Z$/) });
  });

  it.each(['days=0', 'days=93', 'days=1.5', 'days=x', 'days=', 'weeks=1'])('refuses %s', async (query) => {
    expect((await read(`?${query}`)).status).toBe(400);
  });
});
