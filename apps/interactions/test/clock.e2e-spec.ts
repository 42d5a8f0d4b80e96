// Replicas whose clocks are off: leases and due times count by the clock of the database.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { withClockOff } from '@tradewind/testkit';
import { expectAgreement } from './agreement.js';
import { InteractionsWorld, person } from './interactions-app.js';

describe('jobs and clocks', () => {
  let world: InteractionsWorld;
  beforeAll(async () => {
    world = await InteractionsWorld.start({ replicas: 2 });
  });
  beforeEach(() => world.empty());
  afterAll(() => world.stop());

  it.each([-5, 2, 3600, -3600])(
    'with clocks that are %i s off each job is started once and completed',
    async (seconds) => {
      const targets = ['one', 'two', 'three'].map(person);
      await withClockOff(seconds * 1000, async () => {
        const body = { user_company_id: 'acme', targets };
        expect((await world.post('/scraper/network/interactions', body)).status).toBe(200);
      });
      // The clock is right again: what was claimed meanwhile is not claimed twice, and not left lying.
      const rows = await world.finished();
      expect(rows.map(({ status }) => status)).toEqual(['COMPLETED', 'COMPLETED', 'COMPLETED']);
      expect(world.simulator.ledger({ operation: 'run.start', effect: true })).toHaveLength(3);
      await expectAgreement(world);
    },
  );

  it('a lease lasts as long for a replica that is an hour ahead', async () => {
    await world.sql.query(
      `insert into "network_interactions_trackerDev" (job_id, "networkUsername", "entityType", status, user_company_id,
         provider_run_id, target_key, input, stage, lease_until, lease_owner)
       values (gen_random_uuid(), 'held', 'PERSON', 'RUNNING', 'acme', 'unknown-run', 'PERSON held', '{}', 'following',
         now() + interval '1 minute', gen_random_uuid())`,
    );
    const lease = async () =>
      (await world.sql.query<{ lease_until: Date }>('select lease_until from "network_interactions_trackerDev"')).rows;
    const before = await lease();
    await withClockOff(3_600_000, () => new Promise((resolve) => setTimeout(resolve, 300)));
    expect(await lease()).toEqual(before);
    await world.sql.query('truncate "network_interactions_trackerDev"');
  });
});
