import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { migrateDatabase, openDb, type Db } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import { migrations } from '../migrations.js';
import type { CallOutcome, ClaimedCall } from './profile-call.types.js';
import { ProfileCallsStore } from './profile-calls.store.js';

const month = '2026-11';
const person = '6f1f3a52-7f0a-4a51-9d3c-0a5a7a0d0001';

describe('ProfileCallsStore', () => {
  let database: TestDatabase;
  let db: Db;
  let store: ProfileCallsStore;
  beforeEach(async () => {
    const DATABASE_SCHEMA = 'priority_api';
    database = await createTestDatabase({
      name: 'priority_api_store',
      migrate: async (url) => void (await migrateDatabase({ DATABASE_URL: url, DATABASE_SCHEMA }, migrations)),
    });
    db = await openDb({
      DATABASE_URL: database.url,
      DATABASE_SCHEMA,
      DATABASE_POOL_SIZE: 2,
      DATABASE_CONNECTION_TIMEOUT_MS: 30_000,
      DATABASE_STATEMENT_TIMEOUT_MS: 15_000,
    });
    store = new ProfileCallsStore(db);
    const profiles = [{ networkUsername: 'ada', personId: person }];
    await store.insert({ month, generation: 'monthly', batchNumber: 1, profiles }, 0);
  });
  afterEach(async () => {
    await db.close();
    await database.drop();
  });

  const claim = async (leaseMs = 60_000): Promise<ClaimedCall> => {
    const [call] = await store.claim({ limit: 1, slots: 10, leaseMs, settleMs: leaseMs });
    return call!;
  };
  const outcome = ({ correlationId, startFence }: ClaimedCall, rest: object): CallOutcome =>
    ({ correlationId, startFence, ...rest }) as CallOutcome;
  const started = (call: ClaimedCall, scrapeId: string) =>
    outcome(call, { state: 'started', scrapeId, startedAt: new Date() });
  const nothingBegan = (call: ClaimedCall) =>
    outcome(call, { state: 'pending', reason: 'no room', afterMs: 0, failures: call.failures + 1 });
  const row = async () => {
    const [found] = await db.rows(
      'select state, attempts, scrape_id, reason, due_at, doubt_until, start_fence from profile_call',
    );
    return found;
  };
  /** The first claim falls silent, is settled as absent, and the profile is claimed again. */
  const claimTwice = async () => {
    const first = await claim(-1);
    const [unsettled] = await store.claimUnsettled(10, 60_000);
    await store.recordOutcomes([nothingBegan(unsettled!)]);
    return { first, unsettled: unsettled!, second: await claim() };
  };

  it.each<[string, object]>([
    ['nothing began', { state: 'pending', reason: 'no room', afterMs: 0, failures: 7 }],
    ['the outcome is unknown', { state: 'unknown', reason: 'silence', afterMs: 0, settleMs: 0 }],
    ['it was refused', { state: 'refused', reason: 'gone', failures: 7 }],
  ])('a process that was frozen changes nothing of the next start: %s', async (_name, late) => {
    const { first, unsettled, second } = await claimTwice();
    expect(second.startFence).toBeGreaterThan(first.startFence);
    const before = await row();
    expect(before).toMatchObject({ state: 'starting', attempts: 1 });
    await store.recordOutcomes([outcome(first, late)]);
    await store.recordOutcomes([outcome(unsettled, late)]);
    expect(await row()).toEqual(before);
    await store.recordOutcomes([started(second, 'scrape-2')]);
    expect(await row()).toMatchObject({ state: 'started', scrape_id: 'scrape-2', attempts: 1 });
  });

  it('a scrape that a frozen process started is recorded, so that none is started after it', async () => {
    const first = await claim(-1);
    const [unsettled] = await store.claimUnsettled(10, 60_000);
    await store.recordOutcomes([nothingBegan(unsettled!)]);
    await store.recordOutcomes([started(first, 'scrape-1')]);
    expect(await row()).toMatchObject({ state: 'started', scrape_id: 'scrape-1', reason: null });
    expect(await claim()).toBeUndefined();
  });

  it('of two scrapes the first that is recorded is kept', async () => {
    const { first, second } = await claimTwice();
    await store.recordOutcomes([started(second, 'scrape-2')]);
    await store.recordOutcomes([started(first, 'scrape-1')]);
    expect(await row()).toMatchObject({ state: 'started', scrape_id: 'scrape-2' });
  });

  it('the outcome of a start counts while it is settled, and the settling after it does not', async () => {
    const first = await claim(-1);
    const [unsettled] = await store.claimUnsettled(10, 60_000);
    await store.recordOutcomes([started(first, 'scrape-1')]);
    await store.recordOutcomes([nothingBegan(unsettled!)]);
    expect(await row()).toMatchObject({ state: 'started', scrape_id: 'scrape-1', attempts: 0 });
  });

  it('nothing is claimed during a pause, and failures of one burst count once', async () => {
    const counts: number[] = [];
    const fail = (pauseMs: number) =>
      store.noteFailure('full', (failuresInARow) => {
        counts.push(failuresInARow);
        return { kind: 'capacity', pauseMs };
      });
    expect(await fail(0)).toBeUndefined();
    expect(await store.findPause()).toBeUndefined();
    const begun = await Promise.all([60_000, 60_000, 60_000].map(fail));
    expect(begun.filter((pause) => pause)).toEqual([{ kind: 'capacity', pauseMs: 60_000 }]);
    expect(counts.toSorted()).toEqual([0, 0, 0, 1]);
    expect(await claim()).toBeUndefined();
    const stored = () => db.rows('select failures_in_a_row as n from provider_pause');
    expect(await stored()).toEqual([{ n: 2 }]);
    await store.noteStart();
    expect(await stored()).toEqual([{ n: 0 }]);
  });

  it('a failure that pauses nothing changes no pause that goes on', async () => {
    await store.noteFailure('full', () => ({ kind: 'capacity', pauseMs: 60_000 }));
    await store.noteFailure('silence', () => ({ kind: 'outage', pauseMs: 0 }));
    const pause = await store.findPause();
    expect(pause?.kind).toBe('capacity');
    expect(pause?.leftMs).toBeGreaterThan(30_000);
  });
});
