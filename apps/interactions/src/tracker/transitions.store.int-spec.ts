import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { ProviderRun } from '@tradewind/scraping-provider';
import { StoreDatabase } from '../../test/store-database.js';
import { ProviderPauseStore } from '../starts/provider-pause.store.js';
import type { JobsStore } from './jobs.store.js';
import { TransitionsStore } from './transitions.store.js';

const run = (id: string, status: ProviderRun['status'] = 'READY'): ProviderRun => ({
  id,
  status,
  statusMessage: undefined,
  startedAt: new Date(),
  finishedAt: undefined,
  datasetId: `dataset-${id}`,
  inputStoreId: `store-${id}`,
  costUsd: 0.25,
});

describe('TransitionsStore', () => {
  let database: StoreDatabase;
  let store: TransitionsStore;
  let pause: ProviderPauseStore;
  let jobs: JobsStore;
  beforeEach(async () => {
    database = await StoreDatabase.create();
    store = new TransitionsStore(database.db, database.config);
    pause = new ProviderPauseStore(database.db, database.config);
    jobs = database.jobs;
  });
  afterEach(() => database.drop());

  const claim = async (room: number, slots = 100, leaseMs = 60_000) =>
    (await pause.claimUnlessPaused((tx) => store.claimStarts(tx, { room, slots, leaseMs, settleMs: leaseMs }))) ?? [];
  const statusOf = async (id: string) => {
    const job = await jobs.findByRunOrJobId(id);
    return job && [job.status, job.stage];
  };

  it('parallel claims take each job once and never more than there are slots', async () => {
    const ids = await database.queue('acme', ...Array.from({ length: 40 }, (_, n) => `h${n}`));
    const claims = await Promise.all(Array.from({ length: 10 }, () => claim(5, 25)));
    const claimed = claims.flat().map((job) => job.id);
    expect(new Set(claimed).size).toBe(25);
    expect(claimed).toHaveLength(25);
    expect(await claim(5, 25)).toEqual([]);
    await store.requeue({ id: claimed[0]!, startFence: 1 }, { delayMs: 60_000, failures: 1 });
    expect(await claim(5, 25)).toHaveLength(1);
    expect(ids).toHaveLength(40);
  });

  it('nothing is claimed during a pause, and failures of one burst count once', async () => {
    await database.queue('acme', 'a', 'b');
    const counts: number[] = [];
    const fail = (pauseMs: number) =>
      pause.noteFailure((failuresInARow) => {
        counts.push(failuresInARow);
        return { kind: 'capacity', pauseMs };
      });
    await fail(0);
    expect(await claim(1)).toHaveLength(1);
    await Promise.all([60_000, 60_000, 1].map(fail));
    expect(counts.toSorted()).toEqual([0, 0, 0, 1]);
    expect(await claim(1)).toEqual([]);
    await fail(1);
    const stored = () => database.db.rows('select refusals from "start_gateDev"');
    expect(await stored()).toEqual([{ refusals: 2 }]);
    await pause.noteStart();
    expect(await stored()).toEqual([{ refusals: 0 }]);
  });

  it('a run is recorded once; a repeat is known, and a second run is an orphan', async () => {
    const [id] = await database.queue('acme', 'a');
    await claim(1);
    expect(await store.recordRun(id!, run('r1', 'RUNNING'), 0)).toBe('recorded');
    expect(await store.recordRun(id!, run('r1'), 0)).toBe('known');
    expect(await store.recordRun(id!, run('r2'), 0)).toBe('orphan');
    expect(await statusOf('r1')).toEqual(['RUNNING', 'following']);
  });

  it('a late outcome of an earlier claim changes nothing', async () => {
    const [id] = await database.queue('acme', 'a');
    const [first] = await claim(1);
    await store.requeue(first!, { delayMs: 0, failures: 1 });
    const [second] = await claim(1);
    expect(second!.startFence).toBe(first!.startFence + 1);
    expect(await store.requeue(first!, { delayMs: 0, failures: 7 })).toBeUndefined();
    await store.markUnsettled(first!, 0);
    expect(await store.failStart(first!, 'too late')).toBeUndefined();
    expect(await statusOf(id!)).toEqual(['PENDING', 'starting']);
  });

  it('the claim of a replica that fell silent is settled, never started again', async () => {
    const [id] = await database.queue('acme', 'a');
    await claim(1, 100, -1);
    expect(await claim(1)).toEqual([]);
    const unsettled = await store.claim('claimUnsettled', { limit: 10, leaseMs: 60_000 });
    expect(unsettled.map((job) => job.id)).toEqual([id]);
    expect(await store.claim('claimUnsettled', { limit: 10, leaseMs: 60_000 })).toEqual([]);
    expect(await store.listSettled([id!])).toEqual(new Set([id]));
  });

  it('a job with a requested abort ends as ABORTED once it is certain that no run was started', async () => {
    const [requeued, failed] = await database.queue('acme', 'a', 'b');
    const claims = new Map((await claim(2)).map((job) => [job.id, job]));
    const targets = ['a', 'b'].map((networkHandle) => ({ networkHandle, entity: 'PERSON' as const }));
    await store.requestAborts({ userCompanyId: 'acme', targets, abortedBy: null });
    expect(await statusOf(requeued!)).toEqual(['PENDING', 'starting']);
    expect(await store.requeue(claims.get(requeued!)!, { delayMs: 0, failures: 1 })).toBe('ABORTED');
    expect(await store.failStart(claims.get(failed!)!, 'refused')).toBe('ABORTED');
    expect(await statusOf(requeued!)).toEqual(['ABORTED', 'done']);
    expect(await statusOf(failed!)).toEqual(['ABORTED', 'done']);
    expect(await store.recordRun(requeued!, run('late'), 0)).toBe('orphan');
  });
});
