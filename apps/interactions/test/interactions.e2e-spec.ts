import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { company, InteractionsWorld, person } from './interactions-app.js';
import type { TrackerRow } from './stored-rows.types.js';

describe('POST /scraper/network/interactions', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start();
  });
  afterAll(() => world.stop());

  it('starts one run per target, answers in their order, and brings the data to tracker and warehouse', async () => {
    const { status, body } = await world.post('/scraper/network/interactions', {
      user_company_id: 'acme',
      targets: [person('ada-lovelace'), company('analytical-engines'), person('charles-babbage')],
    });
    expect(status).toBe(200);
    const runId = expect.stringMatching(/^[A-Za-z0-9]{17}$/) as unknown;
    expect(body).toEqual({
      success: true,
      message: 'Triggered 3/3 jobs successfully.',
      user_company_id: 'acme',
      trigger_user_id: null,
      total_targets: 3,
      successful_count: 3,
      failed_count: 0,
      results: [
        { network_handle: 'ada-lovelace', entity: 'PERSON', run_id: runId, success: true, error: null },
        { network_handle: 'analytical-engines', entity: 'COMPANY', run_id: runId, success: true, error: null },
        { network_handle: 'charles-babbage', entity: 'PERSON', run_id: runId, success: true, error: null },
      ],
    });
    const rows = await world.finished();
    for (const row of rows) {
      expect(row).toMatchObject({ status: 'COMPLETED', user_company_id: 'acme', trigger_user_id: null, error: null });
      expect(row.completed_date!.getTime()).toBeGreaterThan(row.created_at.getTime());
      const expected = world.simulator.itemCounts(row.provider_run_id!)!;
      expect(row).toMatchObject({
        posts_count: expected.posts,
        comments_count: expected.comments,
        reactions_count: expected.reactions,
        left_over_count: expected.withoutId + expected.unknownType,
      });
      expect(await world.warehouseCounts(row.provider_run_id!)).toEqual({
        posts: expected.posts,
        comments: expected.comments,
        reactions: expected.reactions,
      });
    }
  });

  it('a job whose items are being stored is RUNNING, however short its run was', async () => {
    world.simulator.setFaults([{ on: 'dataset.items', kind: 'latency', target: 'stored-slowly', delayMs: 800 }]);
    await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets: [person('stored-slowly')] });
    const rowOf = (rows: TrackerRow[]) => rows.find((row) => row.networkUsername === 'stored-slowly');
    const storing = await world.until((rows) => rowOf(rows)?.stage === 'storing');
    expect(rowOf(storing)!.status).toBe('RUNNING');
    expect(rowOf(await world.finished())!.status).toBe('COMPLETED');
  });
});

it('stores the items of eight runs at once', async () => {
  const world = await InteractionsWorld.start({ settings: { PROVIDER_TIMEOUT_MS: '20000' } });
  try {
    world.simulator.setFaults([{ on: 'dataset.items', kind: 'latency', delayMs: 3_000, times: 8 }]);
    const targets = Array.from({ length: 9 }, (_, index) => person(`one-of-many-${index}`));
    await world.post('/scraper/network/interactions', { user_company_id: 'acme', targets });
    const readAtOnce = () =>
      world.simulator.ledger({ operation: 'dataset.items' }).filter(({ status }) => status === null).length;
    await world.until(() => readAtOnce() === 8);
    expect((await world.finished()).map(({ status }) => status)).toEqual(targets.map(() => 'COMPLETED'));
  } finally {
    await world.stop();
  }
});
