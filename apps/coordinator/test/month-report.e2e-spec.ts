import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually, startApp, type TestApp } from './coordinator-app.js';

let app: TestApp;
beforeEach(async () => {
  app = await startApp();
});
afterEach(() => app.close());

const month = '2026-11';
const call = (
  network_username: string,
  state: 'pending' | 'starting' | 'unknown' | 'started' | 'refused',
  reason: string | null = null,
) =>
  app.neighbours.calls.set(network_username, {
    network_username,
    state,
    reason,
    started_at: state === 'started' ? '2026-11-02T00:00:00.000Z' : null,
  });
const delivery = (network_username: string, more: object = {}) =>
  app.neighbours.deliveries.set(network_username, {
    network_username,
    received_at: '2026-11-02T00:10:00.000Z',
    request_status: 'SUCCESS',
    reason: null,
    stored: true,
    backed_up: true,
    ...more,
  });

async function aMonth(): Promise<void> {
  const names = ['done', 'unstored', 'failed', 'started', 'refused', 'pending', 'doubt', 'lost'];
  await app.addPeople(names.map((name) => ({ usernames: [name] })));
  await app.runToEnd({ month });
  for (const name of ['done', 'unstored', 'failed', 'started']) call(name, 'started');
  call('refused', 'refused', '400: no such profile');
  call('pending', 'pending');
  call('doubt', 'unknown', 'no answer');
  delivery('done');
  delivery('unstored', { stored: false, reason: 'warehouse: down' });
  delivery('failed', { request_status: 'FAILED', reason: 'profile_not_found' });
}

describe('the month report', () => {
  it('counts each step and names what is missing, with the reason', async () => {
    await aMonth();
    const { status, body } = await app.request('GET', `/months/${month}/report`);
    expect(status).toBe(200);
    const { missing_profiles, ...counts } = body;
    expect(counts).toEqual({
      month,
      is_complete: false,
      selected: 8,
      published: 8,
      started: 4,
      received: 3,
      stored: 1,
      backed_up: 2,
      failed: 1,
      missing: 7,
    });
    expect(Object.fromEntries(missing_profiles.map((profile) => [profile.network_username, profile.reason]))).toEqual({
      unstored: 'received, not yet in the warehouse: warehouse: down',
      failed: 'the provider failed: profile_not_found',
      started: 'started at 2026-11-02T00:00:00.000Z, nothing received yet',
      refused: 'not started: 400: no such profile',
      pending: 'waits to be started',
      doubt: 'in doubt whether it was started: no answer',
      lost: 'published, not received by priority-api yet',
    });
    expect((await app.request('GET', `/months/${month}/report?names=2`)).body.missing_profiles).toHaveLength(2);
  });

  it('is complete when everything has arrived', async () => {
    await app.addPeople([{ usernames: ['done'] }]);
    await app.runToEnd({ month });
    // The answer to its start was lost.
    call('done', 'unknown', 'no answer');
    delivery('done');
    expect((await app.request('GET', `/months/${month}/report`)).body).toMatchObject({
      is_complete: true,
      selected: 1,
      started: 1,
      stored: 1,
      missing: 0,
    });
  });

  it('retries only what is missing and not on its way to be stored', async () => {
    await aMonth();
    const answer = await app.request('POST', `/months/${month}/retry-missing`);
    expect(answer).toEqual({ status: 200, body: { month, profiles_retried: 6 } });
    expect(app.neighbours.retried.map(({ network_username }) => network_username).sort()).toEqual([
      'doubt',
      'failed',
      'lost',
      'pending',
      'refused',
      'started',
    ]);
  });

  it('is 404 without a run, 400 for what is no month, 503 while a neighbour is away', async () => {
    expect((await app.request('GET', '/months/2031-01/report')).status).toBe(404);
    expect((await app.request('GET', '/months/2031/report')).status).toBe(400);
    await aMonth();
    app.neighbours.isUp = false;
    expect((await app.request('GET', `/months/${month}/report`)).status).toBe(503);
    app.neighbours.isUp = true;
    await eventually(async () => expect((await app.request('GET', `/months/${month}/report`)).status).toBe(200));
  });
});
