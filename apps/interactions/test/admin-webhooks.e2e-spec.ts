// The inbox of webhooks over REST: what came, and processing it once more.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InteractionsWorld, person } from './interactions-app.js';

interface Webhook {
  id: string;
  run_id: string;
  job_id: string;
  event_type: string;
  processed_at: string | null;
  outcome: string | null;
  payload?: unknown;
}

describe('administration of webhooks', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start();
    await world.post('/scraper/network/interactions', {
      ...{ user_company_id: 'acme', targets: ['a', 'b', 'c'].map(person) },
    });
    await world.finished();
    await world.inboxProcessed();
  });
  afterAll(() => world.stop());

  const list = async (query = '') => {
    const webhooks: Webhook[] = [];
    let cursor = '';
    do {
      const { status, body } = await world.get(`/admin/webhooks?limit=2${query}${cursor}`);
      expect(status).toBe(200);
      const page = body as { webhooks: Webhook[]; next_cursor: string | null };
      webhooks.push(...page.webhooks);
      cursor = page.next_cursor === null ? '' : `&cursor=${encodeURIComponent(page.next_cursor)}`;
    } while (cursor !== '');
    return webhooks;
  };
  const inbox = async () =>
    (
      await world.sql.query<{ id: string }>(
        'select inbox_id::text as id from "webhook_inboxDev" order by inbox_id desc',
      )
    ).rows;

  it('shows every webhook once, newest first, and those of a run or a job', async () => {
    const all = await list();
    expect(all.map(({ id }) => id)).toEqual((await inbox()).map(({ id }) => id));
    const [one] = all;
    expect(one).toEqual({
      ...{ id: expect.stringMatching(/^\d+$/), run_id: expect.any(String), job_id: expect.any(String) },
      ...{ event_type: 'ACTOR.RUN.SUCCEEDED', received_at: expect.stringMatching(/Z$/) },
      ...{ processed_at: expect.stringMatching(/Z$/), outcome: expect.stringMatching(/^(applied|ignored)$/) },
    });
    expect(await list(`&run_id=${one!.run_id}`)).toEqual(all.filter(({ run_id }) => run_id === one!.run_id));
    expect(await list(`&job_id=${one!.job_id}`)).toEqual(all.filter(({ job_id }) => job_id === one!.job_id));
    expect(await list('&run_id=nothing')).toEqual([]);
  });

  it('shows what the provider sent', async () => {
    const [one] = await list();
    const { body } = await world.get(`/admin/webhooks/${one!.id}`);
    expect(body).toEqual({
      ...one,
      payload: expect.objectContaining({ eventType: 'ACTOR.RUN.SUCCEEDED', resource: expect.any(Object) }),
    });
  });

  it('processes a webhook once more, which changes nothing of a job that has ended, and says who asked', async () => {
    const [one] = await list();
    const before = await world.tracker();
    const answers = await Promise.all([1, 2, 3].map(() => world.post(`/admin/webhooks/${one!.id}/replay`, {})));
    for (const { status, body } of answers) expect([status, (body as Webhook).id]).toEqual([200, one!.id]);
    await world.inboxProcessed();
    expect((await list(`&run_id=${one!.run_id}`))[0]).toMatchObject({ outcome: 'ignored' });
    expect(await world.tracker()).toEqual(before);
    const { rows } = await world.sql.query<{ details: { outcome: string; by: string | null } }>(
      `select details from "job_timelineDev" where job_id = $1 and kind = 'webhook' and details ->> 'outcome' = 'replayed'`,
      [one!.job_id],
    );
    expect(rows.length).toBeGreaterThan(0);
  });

  it('brings a job on whose webhook was lost on the way', async () => {
    world.simulator.addFaults([{ on: 'run', kind: 'slow', target: ['late'], delayMs: 1_500 }]);
    await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets: [person('late')] });
    const [row] = (await world.tracker()).filter(({ networkUsername }) => networkUsername === 'late');
    await world.sql.query(
      `insert into "webhook_inboxDev" (provider_run_id, job_id, event_type, payload, processed_at, outcome)
       values ($1, $2, 'EARLY', '{}', now(), 'ignored')`,
      [row!.provider_run_id, row!.job_id],
    );
    const [early] = await list(`&run_id=${row!.provider_run_id}`);
    expect((await world.post(`/admin/webhooks/${early!.id}/replay`, {})).status).toBe(200);
    await world.inboxProcessed();
    expect((await list(`&run_id=${row!.provider_run_id}`)).find(({ id }) => id === early!.id)).toMatchObject({
      outcome: 'applied',
    });
    await world.finished();
  });

  it.each(['987654321', '0', '999999999999999999'])('has no webhook %s', async (id) => {
    expect((await world.get(`/admin/webhooks/${id}`)).status).toBe(404);
    expect((await world.post(`/admin/webhooks/${id}/replay`, {})).status).toBe(404);
  });

  it.each(['x', '-1', '1.5', '1'.repeat(19), '%00', 'a%2Fb'])('refuses the id %s', async (id) => {
    expect((await world.get(`/admin/webhooks/${id}`)).status).toBe(400);
    expect((await world.post(`/admin/webhooks/${id}/replay`, {})).status).toBe(400);
  });

  it.each([
    ['run_id=', 'run_id must be'],
    ['run_id=%00', 'run_id must be'],
    ['job_id=x', 'job_id must be a UUID'],
    ['limit=0', 'limit must be'],
    ['cursor=x', 'cursor must be'],
    ['outcome=applied', 'outcome should not exist'],
  ])('refuses a list with %s', async (query, message) => {
    const { status, body } = await world.get(`/admin/webhooks?${query}`);
    expect([status, [(body as { message: string }).message].flat().join()]).toEqual([
      400,
      expect.stringContaining(message),
    ]);
  });
});
