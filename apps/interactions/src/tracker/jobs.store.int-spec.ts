import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { newJobs, StoreDatabase } from '../../test/store-database.js';
import { migrations } from '../migrations.js';
import type { JobsStore } from './jobs.store.js';
import { TransitionsStore } from './transitions.store.js';

describe('JobsStore', () => {
  let database: StoreDatabase;
  let store: JobsStore;
  let transitions: TransitionsStore;
  beforeAll(async () => {
    database = await StoreDatabase.create();
    store = database.jobs;
    transitions = new TransitionsStore(database.db, database.config);
  });
  afterAll(() => database.drop());

  it('parallel requests for the same targets, in any order, record each target once', async () => {
    const handles = Array.from({ length: 30 }, (_, n) => `won-${n}`);
    const requests = Array.from({ length: 8 }, (_, n) => (n % 2 ? handles : handles.toReversed()));
    const answers = await Promise.all(requests.map((list) => store.create(newJobs('acme', list))));
    const wins = answers.flatMap((made, request) => requests[request]!.filter((_, index) => 'id' in made[index]!));
    expect(wins.toSorted()).toEqual(handles.toSorted());
  });

  it('the database itself refuses a second active job, and a COMPLETED one without counts', async () => {
    const insert = (status: string, stage: string) =>
      database.db.rows(
        `insert into "network_interactions_trackerDev"
           (job_id, "networkUsername", "entityType", status, user_company_id, target_key, input, stage)
         values (gen_random_uuid(), 'x', 'PERSON', $1, 'direct', 'PERSON:x', '{}', $2)`,
        [status, stage],
      );
    await insert('PENDING', 'queued');
    await expect(insert('RUNNING', 'following')).rejects.toThrow(/tracker_one_active_run/);
    await expect(insert('COMPLETED', 'done')).rejects.toThrow(/check constraint/);
    await expect(insert('RUNNING', 'done')).rejects.toThrow(/check constraint/);
    await insert('FAILED', 'done');
  });

  it('each environment has its own tables and sees no job of another', async () => {
    const staging = await StoreDatabase.create({
      ENVIRONMENT: 'staging',
      CALLER_AUTH: 'required',
      OAUTH_ISSUER: 'https://id.example.com',
      SERVICE_TOKEN: 'service-token-of-the-test',
      PROVIDER_BASE_URL: 'https://provider.example.com',
      PROVIDER_TOKEN: 'token-of-the-test',
      WEBHOOK_BASE_URL: 'https://interactions.example.com',
      WEBHOOK_SECRETS: 'a-secret-of-the-test',
    });
    try {
      await staging.queue('acme', 'here');
      const counts = await staging.db.rows<{ dev: number; staging: number; production: number }>(
        `select (select count(*)::int from "network_interactions_trackerDev") as dev,
                (select count(*)::int from "network_interactions_trackerStaging") as staging,
                (select count(*)::int from network_interactions_tracker) as production`,
      );
      expect(counts).toEqual([{ dev: 0, staging: 1, production: 0 }]);
    } finally {
      await staging.drop();
    }
  });

  it('migrating again changes nothing', async () => {
    expect(await migrateDatabase(database.config, migrations)).toEqual([]);
  });

  it('old jobs that have ended are deleted with their left-over items; active ones never are', async () => {
    await database.queue('old', 'ended', 'active');
    await database.queue('new', 'ended');
    await database.db.rows(
      `update "network_interactions_trackerDev" set provider_run_id = 'run-' || user_company_id || '-' || "networkUsername",
         status = case when "networkUsername" = 'ended' then 'FAILED' else status end,
         stage = case when "networkUsername" = 'ended' then 'done' else stage end,
         created_at = case when user_company_id = 'old' then now() - interval '31 days' else created_at end
       where user_company_id in ('old', 'new')`,
    );
    await database.db.rows(
      `insert into "left_over_itemsDev" (provider_run_id, position, reason, raw)
       select provider_run_id, '0', 'without_id', '{}' from "network_interactions_trackerDev"
       where user_company_id in ('old', 'new')`,
    );
    const removed = () => database.db.transaction((tx) => store.removeEnded(tx, 30, 1));
    expect([await removed(), await removed()]).toEqual([1, 0]);
    const left = await database.db.rows<{ run: string; left_over: string }>(
      `select job.provider_run_id as run, left_over.provider_run_id as left_over
       from "network_interactions_trackerDev" as job
       full join "left_over_itemsDev" as left_over using (provider_run_id)
       where user_company_id in ('old', 'new') or job.job_id is null order by 1`,
    );
    expect(left).toEqual([
      { run: 'run-new-ended', left_over: 'run-new-ended' },
      { run: 'run-old-active', left_over: 'run-old-active' },
    ]);
  });

  it('a requested abort ends queued jobs, marks running ones, and changes none whose items are being stored', async () => {
    await database.queue('abort', 'queued', 'following', 'storing');
    await database.db.rows(
      `update "network_interactions_trackerDev" set stage = "networkUsername", provider_run_id = "networkUsername"
       where user_company_id = 'abort' and "networkUsername" <> 'queued'`,
    );
    const targets = ['queued', 'following', 'storing', 'unknown'].map((networkHandle) => ({
      networkHandle,
      entity: 'PERSON' as const,
    }));
    const jobs = [...(await transitions.requestAborts({ userCompanyId: 'abort', targets, abortedBy: null })).values()];
    const standing = jobs.map((job) => [job.networkHandle, job.status, job.stage, job.abortRequestedAt !== null]);
    expect(standing.sort()).toEqual([
      ['following', 'PENDING', 'following', true],
      ['queued', 'ABORTED', 'done', true],
      ['storing', 'PENDING', 'storing', false],
    ]);
  });
});
