import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { GroupCommit } from '@tradewind/service-kit';
import type { ProviderRun } from '@tradewind/scraping-provider';
import { StoreDatabase } from '../../test/store-database.js';
import type { JobsStore } from '../tracker/jobs.store.js';
import { TransitionsStore } from '../tracker/transitions.store.js';
import { InboxStore, type ReceivedWebhook } from './inbox.store.js';

describe('InboxStore', () => {
  let database: StoreDatabase;
  let store: InboxStore;
  let jobs: JobsStore;
  let transitions: TransitionsStore;
  beforeEach(async () => {
    database = await StoreDatabase.create();
    jobs = database.jobs;
    transitions = new TransitionsStore(database.db, database.config);
    store = new InboxStore(database.db, jobs, transitions, database.config);
  });
  afterEach(() => database.drop());

  const webhook = (runId: string, jobId?: string, eventType = 'ACTOR.RUN.SUCCEEDED') => ({
    runId,
    eventType,
    jobId,
    payload: { text: 'with NUL \u0000 and half a pair \ud800' },
  });
  const job = async (id: string) => (await jobs.findByRunOrJobId(id))!;
  const claimStarts = (count: number) =>
    database.db.transaction((tx) =>
      transitions.claimStarts(tx, { room: count, slots: count, leaseMs: 60_000, settleMs: 60_000 }),
    );

  const accept = async (...webhooks: ReceivedWebhook[]) => (await store.accept(webhooks)).map(({ outcome }) => outcome);

  it('stores each event of a known run once, and reports other runs as unknown', async () => {
    const [id] = await database.queue('acme', 'a');
    expect(await accept(webhook('r1', id), webhook('r1', id), webhook('r9'), webhook('r1', id, 'OTHER'))).toEqual([
      'stored',
      // In one group with the first.
      'repeated',
      'unknown_run',
      'stored',
    ]);
    expect(await accept(webhook('r1', id))).toEqual(['repeated']);
    expect(await store.process(10)).toHaveLength(2);
  });

  it('gives a job its run when none is recorded yet, and makes the job due', async () => {
    const [id] = await database.queue('acme', 'a');
    await claimStarts(1);
    await store.accept([webhook('r1', id)]);
    expect(await store.process(10)).toEqual([{ runId: 'r1', jobId: id, outcome: 'applied' }]);
    expect(await job(id!)).toMatchObject({ stage: 'following', providerRunId: 'r1', status: 'PENDING' });
    // Known by its run from now on, without the job id.
    expect(await accept(webhook('r1', undefined, 'OTHER'))).toEqual(['stored']);
  });

  it('a payload that cannot be stored is refused without harm to the rest of its group', async () => {
    const ids = await database.queue('acme', ...Array.from({ length: 20 }, (_, index) => `a${index}`));
    const group = new GroupCommit({
      write: (webhooks: ReceivedWebhook[]) => store.accept(webhooks),
      groupSizeMax: 100,
      splitsFaultyGroups: true,
    });
    const deep: unknown = JSON.parse('['.repeat(50_000) + ']'.repeat(50_000));
    const webhooks = ids.map((id, index) => ({
      ...webhook(`r${index}`, id),
      ...(index === 9 ? { payload: deep } : {}),
    }));
    const results = await Promise.allSettled(webhooks.map((each) => group.add(each)));
    expect(results.map(({ status }) => status)).toEqual(
      webhooks.map((_, index) => (index === 9 ? 'rejected' : 'fulfilled')),
    );
    expect(await store.process(100)).toHaveLength(19);
  });

  it('a run that two webhooks name for different jobs goes to the first job, and delays no other webhook', async () => {
    const [one, other, third] = await database.queue('acme', 'a', 'b', 'c');
    await claimStarts(3);
    await store.accept([webhook('r1', one), webhook('r1', other, 'OTHER'), webhook('r3', third)]);
    const outcomes = new Map((await store.process(10)).map(({ jobId, outcome }) => [jobId, outcome]));
    expect(outcomes).toEqual(
      new Map([
        [one, 'applied'],
        [other, 'orphan'],
        [third, 'applied'],
      ]),
    );
    expect(await job(other!)).toMatchObject({ stage: 'starting', providerRunId: null });
  });

  it('a run that another job has by now is an orphan', async () => {
    const [one, other] = await database.queue('acme', 'a', 'b');
    await claimStarts(2);
    await store.accept([webhook('r1', other)]);
    const run = { id: 'r1', status: 'RUNNING', datasetId: 'd', inputStoreId: 'i' } as ProviderRun;
    expect(await transitions.recordRun(one!, run, 0)).toBe('recorded');
    expect(await store.process(10)).toEqual([{ runId: 'r1', jobId: other, outcome: 'orphan' }]);
  });

  it('a second run of a job is an orphan and changes nothing', async () => {
    const [id] = await database.queue('acme', 'a');
    await store.accept([webhook('r1', id)]);
    await store.process(10);
    await store.accept([webhook('r2', id)]);
    expect(await store.process(10)).toEqual([{ runId: 'r2', jobId: id, outcome: 'orphan' }]);
    expect((await job(id!)).providerRunId).toBe('r1');
  });

  it('parallel processing takes each webhook once', async () => {
    const handles = Array.from({ length: 60 }, (_, n) => `h${n}`);
    const ids = await database.queue('acme', ...handles);
    await Promise.all(ids.map((id) => store.accept([webhook(`run-${id}`, id)])));
    const processed = (await Promise.all(Array.from({ length: 6 }, () => store.process(20)))).flat();
    expect(processed.map(({ jobId }) => jobId).sort()).toEqual(ids.toSorted());
  });

  it('deletes processed webhooks when they are old enough, and no others', async () => {
    const ids = await database.queue('acme', 'old', 'young', 'waiting');
    await store.accept([webhook('old', ids[0]), webhook('young', ids[1])]);
    await store.process(10);
    await store.accept([webhook('waiting', ids[2])]);
    await database.db.rows(
      `update "webhook_inboxDev" set processed_at = processed_at - interval '31 days' where provider_run_id = 'old'`,
    );
    expect(await database.db.transaction((tx) => store.removeProcessed(tx, 30, 10))).toBe(1);
    const left = await database.db.rows<{ provider_run_id: string }>(
      'select provider_run_id from "webhook_inboxDev" order by 1',
    );
    expect(left.map((row) => row.provider_run_id)).toEqual(['waiting', 'young']);
  });
});
