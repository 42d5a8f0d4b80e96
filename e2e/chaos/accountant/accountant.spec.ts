// The accountant finds what is planted, and nothing in a sound run.
import { describe, expect, it } from '@jest/globals';
import type { Answer, FaultWindow, LedgerEntry, ToldEntry } from '../log/log.types.js';
import { account, allRules } from './accountant.js';
import type { Evidence } from './evidence/evidence.types.js';

const startMs = Date.parse('2026-11-23T10:00:00.000Z');
const at = (seconds: number) => new Date(startMs + seconds * 1_000).toISOString();

const answer: Answer = {
  ...{ atMs: startMs + 1_000, endedMs: startMs + 1_100, service: 'interactions', request: 'POST /jobs' },
  ...{ status: 200, isExpected: true, text: '' },
};
const crash: FaultWindow = {
  ...{ strike: 1, kind: 'kill -9 of PostgreSQL', detail: 'postgresql', parts: ['postgresql'] },
  ...{ fromMs: startMs + 20_000, toMs: startMs + 22_000, readyMs: startMs + 25_000 },
};
const told = (entry: object, seconds = 1) => ({ atMs: startMs + seconds * 1_000, ...entry }) as ToldEntry;
let seq = 0;
const ended = (kind: string, use: 'end' | 'try', seconds: number, result = 'ok') =>
  told({ what: 'ended access', kind, subject: `a ${kind}`, use, sentMs: startMs + seconds * 1_000, result }, seconds);
const run = (id: string, target: string, from: number, to: number, outcome = 'SUCCEEDED'): LedgerEntry[] => [
  { seq: (seq += 1), at: at(from), operation: 'run.start', target, id, effect: true, outcome: 'ok' },
  {
    ...{ seq: (seq += 1), at: at(to), operation: 'run.ended', target, id, effect: false, outcome },
    ...(outcome === 'SUCCEEDED' ? { items: { posts: 3, comments: 2, reactions: 1 } } : {}),
  },
];
const scrape = (id: string, target: string, from: number, to: number, outcome = 'SUCCEEDED'): LedgerEntry[] => [
  { seq: (seq += 1), at: at(from), operation: 'profile.start', target, id, effect: true, outcome: 'ok' },
  { seq: (seq += 1), at: at(to), operation: 'profile.ended', target, id, effect: false, outcome },
];

/** A sound run, made new for each test, which spoils it. */
function sound(): Evidence {
  return {
    answers: [answer, { ...answer, atMs: crash.fromMs, endedMs: crash.toMs, status: 503, text: 'Service Unavailable' }],
    faults: [crash],
    limits: { dataCallsPerDay: 2, registrationsPerHour: 3, wrongPasswords: 1 },
    told: [
      told({ what: 'job', company: 'acme', target: 'ada', result: 'ok', runId: 'run-1' }),
      told({ what: 'job', company: 'acme', target: 'endless', result: 'ok', runId: 'run-2' }),
      told({ what: 'abort', company: 'acme', target: 'endless', result: 'ok' }),
      told({ what: 'month', month: '2026-11', sentMs: startMs + 1_000, result: 'ok' }),
      told({ what: 'token', session: 'session-1', token: 'code', use: 'exchange', result: 'ok' }),
      told({ what: 'token', session: 'session-1', token: 'refresh-1', use: 'exchange', result: 'ok' }),
      told({ what: 'token', session: 'session-1', token: 'refresh-2', use: 'check', result: 'ok' }),
      told({ what: 'client', name: 'client-1', clientId: 'id-1', use: 'register', result: 'ok' }),
      told({ what: 'key', user: 'ada@example.com', name: 'key-1', keyHash: 'hash-1', result: 'ok' }),
      told({ what: 'data call', user: 'ada@example.com', keyHash: 'hash-1', result: 'ok' }),
      told({ what: 'data call', user: 'ada@example.com', keyHash: 'hash-1', result: 'ok' }),
      told({ what: 'data call', user: 'ada@example.com', keyHash: 'hash-1', result: 'refused' }),
      told({ what: 'wrong password', account: 'eve@example.com', result: 'wrong' }),
      ended('revoked key', 'end', 2),
      ended('revoked key', 'try', 6),
      ended('revoked key', 'try', 9, 'refused'),
      // The crash is in the way.
      ended('key of a disabled user', 'end', 15),
      ended('key of a disabled user', 'try', 36),
      ended('session of a disabled user', 'end', 3),
      ended('session of a disabled user', 'try', 4, 'refused'),
    ],
    tracker: [
      {
        ...{ company: 'acme', target: 'ada', status: 'COMPLETED', runId: 'run-1' },
        ...{ posts: 3, comments: 2, reactions: 1 },
      },
      {
        ...{ company: 'acme', target: 'endless', status: 'ABORTED', runId: 'run-2' },
        ...{ posts: null, comments: null, reactions: null },
      },
    ],
    items: [
      { runId: 'run-1', table: 'posts', rows: 3, distinct: 3 },
      { runId: 'run-1', table: 'comments', rows: 2, distinct: 2 },
      { runId: 'run-1', table: 'reactions', rows: 1, distinct: 1 },
    ],
    profileCalls: [{ username: 'grace', status: 'SUCCESS' }],
    objects: ['grace_20261123100005.json'],
    people: ['grace', 'Grace'],
    clients: [{ clientId: 'id-1', name: 'client-1' }],
    unusedTokens: [{ grant: 'grant-1', count: 1 }],
    keys: [{ keyHash: 'hash-1', user: 'ada@example.com', name: 'key-1' }],
    quotas: [{ user: 'ada@example.com', used: 2 }],
    auditedUses: [{ keyHash: 'hash-1', count: 2 }],
    auditedKeys: [{ keyHash: 'hash-1', count: 1 }],
    ledger: [
      ...run('run-1', 'ada', 1, 3),
      ...run('run-2', 'endless', 1, 4, 'ABORTED'),
      ...scrape('scrape-1', 'grace', 2, 5),
    ],
    killedAtStop: [],
    deaths: [],
  };
}

/** What is planted, and the rule that has to find it. */
const planted: readonly (readonly [what: string, rule: string, plant: (evidence: Evidence) => void])[] = [
  [
    'a 5xx before the fault',
    'a 5xx or a missing answer has a cause',
    (e) => e.answers.push({ ...answer, status: 500 }),
  ],
  ['a missing answer', 'a 5xx or a missing answer has a cause', (e) => e.answers.push({ ...answer, status: null })],
  [
    'a 5xx of a service that does not depend on what failed',
    'a 5xx or a missing answer has a cause',
    (e) => {
      e.faults = [{ ...crash, parts: ['object-store'] }];
    },
  ],
  [
    'a 5xx long after all was ready',
    'a 5xx or a missing answer has a cause',
    (e) => e.answers.push({ ...answer, atMs: startMs + 28_000, endedMs: startMs + 28_010, status: 502 }),
  ],
  [
    'a refusal without a reason',
    'a request is not refused without a reason',
    (e) => e.answers.push({ ...answer, status: 404, isExpected: false }),
  ],
  [
    'a stack trace in an answer',
    'no answer shows the inside',
    (e) => e.answers.push({ ...answer, status: 400, text: '{"message":"x\\n    at run (file.js:1:2)"}' }),
  ],
  [
    'SQL in an answer',
    'no answer shows the inside',
    (e) => e.answers.push({ ...answer, status: 400, text: 'select id from users' }),
  ],
  [
    'a slow recovery',
    'ready within 15 s of the end of a fault',
    (e) => e.faults.push({ ...crash, strike: 2, readyMs: crash.toMs + 15_001 }),
  ],
  [
    'a slow recovery from two faults that overlap',
    'ready within 15 s of the end of a fault',
    (e) => {
      e.faults.push(
        { ...crash, strike: 2 },
        { ...crash, strike: 2, toMs: crash.toMs + 1_000, readyMs: crash.toMs + 16_001 },
      );
    },
  ],
  [
    'a service that never came back',
    'ready within 15 s of the end of a fault',
    (e) => e.faults.push({ ...crash, strike: 2, readyMs: null }),
  ],
  ['a service that hangs at its end', 'a service stops within its time', (e) => e.killedAtStop.push('identity-1')],
  [
    'a process that died',
    'no process dies of a fault of something else',
    (e) => (e.deaths = ['identity-1 ended (exit code 1)']),
  ],
  ['a lost job', 'no job is lost, and every job ends', (e) => e.tracker.shift()],
  ['a job in the tracker twice', 'no job is lost, and every job ends', (e) => e.tracker.push({ ...e.tracker[0]! })],
  [
    'a lost job of which the caller was told PENDING',
    'no job is lost, and every job ends',
    (e) => e.told.push(told({ what: 'job', company: 'acme', target: 'later', result: 'pending' })),
  ],
  ['a job that never ends', 'no job is lost, and every job ends', (e) => (e.tracker[0]!.status = 'RUNNING')],
  ['a run for nobody', 'no run is bought twice or for nobody', (e) => e.ledger.push(...run('run-3', 'nobody', 6, 7))],
  [
    'two runs for one request',
    'no run is bought twice or for nobody',
    (e) => {
      e.ledger.push(...run('run-3', 'ada', 6, 7));
      e.tracker.push({ ...e.tracker[0]!, runId: 'run-3' });
    },
  ],
  [
    'two runs of one target at the same time',
    'no run is bought twice or for nobody',
    (e) => {
      e.ledger.push(...run('run-3', 'ada', 2, 7));
      e.told.push(told({ what: 'job', company: 'acme', target: 'ada', result: 'ok', runId: 'run-3' }));
    },
  ],
  ['a job that ended otherwise than its run', 'a job ends as its run did', (e) => (e.tracker[0]!.status = 'FAILED')],
  ['a run that the provider does not know', 'a job ends as its run did', (e) => (e.tracker[0]!.runId = 'run-9')],
  [
    'a lost item',
    'every item is in the warehouse once, and counted',
    (e) => Object.assign(e.items[0]!, { rows: 2, distinct: 2 }),
  ],
  ['an item stored twice', 'every item is in the warehouse once, and counted', (e) => (e.items[0]!.rows = 4)],
  [
    'an item stored twice in the place of another',
    'every item is in the warehouse once, and counted',
    (e) => (e.items[0]!.distinct = 2),
  ],
  ['a wrong count', 'every item is in the warehouse once, and counted', (e) => (e.tracker[0]!.comments = 1)],
  [
    'items of an aborted run',
    'every item is in the warehouse once, and counted',
    (e) => e.items.push({ runId: 'run-2', table: 'posts', rows: 1, distinct: 1 }),
  ],
  ['an abort that was undone', 'an abort that was confirmed holds', (e) => (e.tracker[1]!.status = 'COMPLETED')],
  [
    'a profile bought twice at the same time',
    'no profile is bought twice',
    (e) => e.ledger.push(...scrape('scrape-2', 'Grace', 3, 6)),
  ],
  [
    'a profile bought again after its success',
    'no profile is bought twice',
    (e) => e.ledger.push(...scrape('scrape-2', 'grace', 7, 9)),
  ],
  [
    'a profile bought twice for the next month',
    'no profile is bought twice',
    (e) => {
      e.told.push(told({ what: 'month', month: '2026-10', sentMs: startMs + 6_000, result: 'ok' }, 6));
      e.ledger.push(...scrape('scrape-2', 'grace', 7, 9), ...scrape('scrape-3', 'grace', 10, 11));
    },
  ],
  [
    'a person who was forgotten in the next month',
    'every profile is in warehouse and backup, once for each scrape',
    (e) => e.told.push(told({ what: 'month', month: '2026-10', sentMs: startMs + 6_000, result: 'ok' }, 6)),
  ],
  [
    'a person who was forgotten',
    'every profile is in warehouse and backup, once for each scrape',
    (e) => e.people.push('hopper'),
  ],
  ['a lost profile', 'every profile is in warehouse and backup, once for each scrape', (e) => e.profileCalls.pop()],
  [
    'a profile stored twice',
    'every profile is in warehouse and backup, once for each scrape',
    (e) => e.profileCalls.push(e.profileCalls[0]!),
  ],
  ['a lost file', 'every profile is in warehouse and backup, once for each scrape', (e) => e.objects.pop()],
  [
    'a file written twice',
    'every profile is in warehouse and backup, once for each scrape',
    (e) => e.objects.push('grace_20261123100005-2.json'),
  ],
  [
    'a refresh token that worked twice',
    'a code or a refresh token works once',
    (e) =>
      e.told.push(told({ what: 'token', session: 'session-1', token: 'refresh-1', use: 'exchange', result: 'ok' })),
  ],
  ['two live tokens of a grant', 'a code or a refresh token works once', (e) => (e.unusedTokens[0]!.count = 2)],
  [
    'a lost session',
    'a session lives until it is revoked or reused',
    (e) =>
      Object.assign(
        e.told.find((one) => one.what === 'token' && one.use === 'check')!,
        { result: 'refused' },
      ),
  ],
  [
    'a session that outlives its revocation',
    'a session lives until it is revoked or reused',
    (e) => e.told.push(told({ what: 'token', session: 'session-1', token: 'refresh-2', use: 'revoke', result: 'ok' })),
  ],
  ['a lost client', 'a registered client stays until it is deleted', (e) => e.clients.pop()],
  ['a client stored twice', 'a registered client stays until it is deleted', (e) => e.clients.push(e.clients[0]!)],
  [
    'a deleted client that is still there',
    'a registered client stays until it is deleted',
    (e) => e.told.push(told({ what: 'client', name: 'client-1', clientId: 'id-1', use: 'delete', result: 'ok' })),
  ],
  ['a lost key', 'an API key is stored once, and its making is in the audit log', (e) => e.keys.pop()],
  [
    'a key that is not in the audit log',
    'an API key is stored once, and its making is in the audit log',
    (e) => e.auditedKeys.pop(),
  ],
  [
    'a revoked key that is accepted',
    'what was revoked or disabled is refused after the agreed delay',
    (e) => e.told.push(ended('revoked key', 'try', 7.1)),
  ],
  [
    'a key of a disabled user that is accepted',
    'what was revoked or disabled is refused after the agreed delay',
    (e) => e.told.push(ended('key of a disabled user', 'try', 37.1)),
  ],
  [
    'a key of a disabled user that is accepted for more than a minute while faults follow on each other',
    'what was revoked or disabled is refused after the agreed delay',
    (e) => {
      e.faults.push({
        ...crash,
        strike: 2,
        fromMs: startMs + 30_000,
        toMs: startMs + 74_000,
        readyMs: startMs + 74_500,
      });
      e.told.push(ended('key of a disabled user', 'try', 75.1));
    },
  ],
  [
    'a session of a disabled user that is accepted',
    'what was revoked or disabled is refused after the agreed delay',
    (e) => e.told.push(ended('session of a disabled user', 'try', 3.1)),
  ],
  [
    'a data call over the limit',
    'no limit is exceeded',
    (e) => e.told.push(told({ what: 'data call', user: 'ada@example.com', keyHash: 'hash-1', result: 'ok' })),
  ],
  [
    'a wrong password over the limit',
    'no limit is exceeded',
    (e) => e.told.push(told({ what: 'wrong password', account: 'eve@example.com', result: 'wrong' })),
  ],
  [
    'registrations over the limit',
    'no limit is exceeded',
    (e) => {
      for (let number = 2; number <= 4; number += 1) {
        e.told.push(told({ what: 'client', name: `client-${number}`, use: 'register', result: 'ok' }));
      }
    },
  ],
  ['a call that is not counted', 'the counter of data calls agrees with the answers', (e) => (e.quotas[0]!.used = 1)],
  ['a call that is counted twice', 'the counter of data calls agrees with the answers', (e) => (e.quotas[0]!.used = 3)],
  ['a use that was not audited', 'the audit log has every use of a key', (e) => (e.auditedUses[0]!.count = 1)],
  ['a use that was audited too often', 'the audit log has every use of a key', (e) => (e.auditedUses[0]!.count = 4)],
];

const findingsOf = (evidence: Evidence) =>
  Object.fromEntries(account(evidence).map(({ rule, findings }) => [rule, findings]));

describe('the accountant', () => {
  it('finds nothing in a sound run', () => {
    expect(account(sound()).flatMap(({ findings }) => findings)).toEqual([]);
  });

  it.each(planted)('finds %s', (_what, rule, plant) => {
    const evidence = sound();
    plant(evidence);
    expect(findingsOf(evidence)[rule]).not.toEqual([]);
  });

  it('has a planted case for every rule', () => {
    const names = new Set(planted.map(([, rule]) => rule));
    expect(allRules.map(({ name }) => name).filter((name) => !names.has(name))).toEqual([]);
  });

  it('excuses counts and audit entries of the moment before a crash, and no others', () => {
    const evidence = sound();
    const calls = evidence.told.filter((entry) => entry.what === 'data call');
    Object.assign(calls[0]!, { atMs: crash.fromMs - 500 });
    evidence.quotas[0]!.used = 1;
    evidence.faults.push({ ...crash, strike: 2, kind: 'kill -9 of a service', parts: ['graphql-gateway'] });
    evidence.auditedUses[0]!.count = 1;
    expect(account(evidence).flatMap(({ findings }) => findings)).toEqual([]);
    evidence.quotas[0]!.used = 0;
    evidence.auditedUses[0]!.count = 0;
    const findings = findingsOf(evidence);
    expect(findings['the counter of data calls agrees with the answers']).toHaveLength(1);
    expect(findings['the audit log has every use of a key']).toHaveLength(1);
  });

  it('accepts a profile that is bought once more for the next month', () => {
    const evidence = sound();
    evidence.told.push(told({ what: 'month', month: '2026-10', sentMs: startMs + 6_000, result: 'ok' }, 6));
    evidence.ledger.push(...scrape('scrape-2', 'grace', 7, 9));
    evidence.profileCalls.push({ username: 'grace', status: 'SUCCESS' });
    evidence.objects.push('grace_20261123100009.json');
    expect(account(evidence).flatMap(({ findings }) => findings)).toEqual([]);
  });

  it('accepts another start after a failed scrape, with a row and a file for each', () => {
    const evidence = sound();
    evidence.ledger = [
      ...evidence.ledger.filter(({ target }) => target !== 'grace'),
      ...scrape('scrape-1', 'grace', 2, 5, 'FAILED'),
      ...scrape('scrape-2', 'grace', 7, 9),
    ];
    evidence.profileCalls = [
      { username: 'grace', status: 'FAILED' },
      { username: 'grace', status: 'SUCCESS' },
    ];
    evidence.objects = ['grace_20261123100005.json', 'grace_20261123100009.json'];
    expect(account(evidence).flatMap(({ findings }) => findings)).toEqual([]);
  });

  it('says nothing about a session of which an answer was lost', () => {
    const evidence = sound();
    evidence.told.push(
      told({ what: 'token', session: 'session-1', token: 'refresh-2', use: 'exchange', result: 'unknown' }),
    );
    evidence.told = evidence.told.filter((entry) => entry.what !== 'token' || entry.use !== 'check');
    evidence.told.push(
      told({ what: 'token', session: 'session-1', token: 'refresh-2', use: 'check', result: 'refused' }),
    );
    expect(account(evidence).flatMap(({ findings }) => findings)).toEqual([]);
  });
});
