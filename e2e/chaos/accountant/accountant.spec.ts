// The accountant finds what is planted, and nothing in a sound run.
import { describe, expect, it } from '@jest/globals';
import type { Answer, FaultWindow, LedgerEntry, ToldEntry } from '../log/log.types.js';
import { account, allRules } from './accountant.js';
import type { Evidence, ProfileContent } from './evidence/evidence.types.js';

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
    costUsd: 0.01,
    ...(outcome === 'SUCCEEDED'
      ? {
          items: { posts: 3, comments: 2, reactions: 1 },
          itemSums: { posts: 'of posts', comments: 'of comments', reactions: 'of reactions' },
        }
      : {}),
  },
];
const scrape = (id: string, target: string, from: number, to: number, outcome = 'SUCCEEDED'): LedgerEntry[] => [
  { seq: (seq += 1), at: at(from), operation: 'profile.start', target, id, effect: true, outcome: 'ok' },
  {
    ...{ seq: (seq += 1), at: at(to), operation: 'profile.ended', target, id, effect: false, outcome },
    contentSum: outcome === 'FAILED' ? 'of a failure' : `of ${target}`,
  },
];

const ofRun1 = { runId: 'run-1', company: 'acme', target: 'ada' };
const profile = (
  username: string,
  content: ProfileContent = { person: username.toLowerCase(), sum: `of ${username}` },
) => ({
  username,
  content,
});
const keyRule = 'an API key is stored once, and the audit log says when it was made and revoked';
const itemRule = 'every item is in the warehouse once, as the provider had it, and counted';
const monthRule = 'every month that was begun is published once, to the end';
const wholeRule =
  'warehouse and backup have the profile that the provider sent, of the right person, with the right outcome';
const costRule = 'the costs of each company are those of its runs, within its budget';
const retryRule = 'a retry starts what it says, and is recorded';
const grantRule = 'each live session has one grant, and a disabled user has none';
const earlyRule = 'no limit refuses before it is reached';
const identityAuditRule = 'the audit log of identity has every act once';

/** A sound run, made new for each test, which spoils it. */
function sound(): Evidence {
  return {
    answers: [answer, { ...answer, atMs: crash.fromMs, endedMs: crash.toMs, status: 503, text: 'Service Unavailable' }],
    faults: [crash],
    limits: {
      recoveryMs: 15_000,
      ...{ dataCallsPerDay: 2, registrationsPerHour: 3, wrongPasswords: 1 },
      ...{ companyWithBudget: 'acme', budgetUsd: 0.025 },
    },
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
      told({ what: 'key', user: 'ada@example.com', name: 'key-2', keyHash: 'a revoked key', result: 'ok' }),
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
      told({ what: 'token', session: 'session-0', token: 'code-0', use: 'exchange', result: 'refused' }),
      told({ what: 'token', session: 'session-0', token: 'refresh-0', use: 'check', result: 'refused' }),
      told({ what: 'login', result: 'ok' }),
      told({ what: 'login', result: 'unknown' }),
      told({ what: 'consent', result: 'ok' }),
      told({ what: 'account change', change: 'password', user: 'ada', result: 'ok' }),
      told({ what: 'account change', change: 'session', user: 'ada', result: 'ok' }),
      told({ what: 'account change', change: 'application', user: 'ada', result: 'ok' }),
      told({ what: 'retry', month: '2026-11', result: 'ok', started: 2 }),
      ended('ended by its user', 'end', 3),
      ended('ended by its user', 'try', 4, 'refused'),
      ended('session of a disabled user', 'end', 3),
      ended('session of a disabled user', 'try', 4, 'refused'),
    ],
    tracker: [
      {
        ...{ company: 'acme', target: 'ada', status: 'COMPLETED', runId: 'run-1' },
        ...{ posts: 3, comments: 2, reactions: 1, leftOver: 4 },
      },
      {
        ...{ company: 'acme', target: 'endless', status: 'ABORTED', runId: 'run-2' },
        ...{ posts: null, comments: null, reactions: null, leftOver: 0 },
      },
    ],
    items: [
      { ...ofRun1, table: 'posts', rows: 3, distinct: 3, sum: 'of posts' },
      { ...ofRun1, table: 'comments', rows: 2, distinct: 2, sum: 'of comments' },
      { ...ofRun1, table: 'reactions', rows: 1, distinct: 1, sum: 'of reactions' },
    ],
    leftOvers: [{ runId: 'run-1', rows: 4 }],
    profileCalls: [{ ...profile('grace'), status: 'SUCCESS' }],
    objects: [profile('grace')],
    people: ['grace', 'Grace'],
    monthRuns: [{ month: '2026-11', state: 'completed', profiles: 1 }],
    clients: [{ clientId: 'id-1', name: 'client-1' }],
    unusedTokens: [{ grant: 'grant-1', user: 'ada@example.com', count: 1 }],
    identityEvents: [
      { event: 'token.issued', count: 2 },
      { event: 'client.registered', count: 1 },
      { event: 'user.disabled', count: 1 },
      { event: 'login.failed', count: 1 },
      { event: 'login.succeeded', count: 2 },
      { event: 'consent.given', count: 1 },
      { event: 'user.password_set', count: 1 },
      { event: 'session.ended', count: 1 },
      { event: 'application.revoked', count: 1 },
      { event: 'grant.revoked', count: 1 },
    ],
    companyCosts: [{ company: 'acme', microUsd: 20_000 }],
    retries: [{ month: '2026-11', requests: 1, profiles: 2 }],
    putAside: [],
    errorLines: [{ service: 'interactions', atMs: crash.fromMs + 1_000, text: 'error: no connection' }],
    keys: [
      { keyHash: 'hash-1', user: 'ada@example.com', name: 'key-1', isRevoked: false },
      { keyHash: 'a revoked key', user: 'ada@example.com', name: 'key-2', isRevoked: true },
    ],
    quotas: [{ user: 'ada@example.com', used: 2 }],
    auditedUses: [{ keyHash: 'hash-1', count: 2 }],
    auditedKeys: [
      { keyHash: 'hash-1', made: 1, revoked: 0 },
      { keyHash: 'a revoked key', made: 1, revoked: 1 },
    ],
    logs: { findings: [], summary: '' },
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
  [
    'a 500 in the middle of a fault',
    'a 5xx or a missing answer has a cause',
    (e) => e.answers.push({ ...answer, atMs: crash.fromMs, endedMs: crash.toMs, status: 500 }),
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
    'ready in time after the end of a fault',
    (e) => e.faults.push({ ...crash, strike: 2, readyMs: crash.toMs + 15_001 }),
  ],
  [
    'a slow recovery from two faults that overlap',
    'ready in time after the end of a fault',
    (e) => {
      e.faults.push(
        { ...crash, strike: 2 },
        { ...crash, strike: 2, toMs: crash.toMs + 1_000, readyMs: crash.toMs + 16_001 },
      );
    },
  ],
  [
    'a service that never came back',
    'ready in time after the end of a fault',
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
  [
    'a job of which the caller was told a run that belongs to another target',
    'no job is lost, and every job ends',
    (e) => (e.tracker[0]!.runId = 'run-2'),
  ],
  [
    'a job that nobody asked for',
    'no job is lost, and every job ends',
    (e) => e.tracker.push({ ...e.tracker[1]!, target: 'stranger', runId: null }),
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
  ['a job that ended without a run', 'a job ends as its run did', (e) => (e.tracker[0]!.runId = null)],
  ['a run that the provider does not know', 'a job ends as its run did', (e) => (e.tracker[0]!.runId = 'run-9')],
  [
    'a lost item',
    'every item is in the warehouse once, as the provider had it, and counted',
    (e) => Object.assign(e.items[0]!, { rows: 2, distinct: 2 }),
  ],
  [
    'an item stored twice',
    'every item is in the warehouse once, as the provider had it, and counted',
    (e) => (e.items[0]!.rows = 4),
  ],
  [
    'an item stored twice in the place of another',
    'every item is in the warehouse once, as the provider had it, and counted',
    (e) => (e.items[0]!.distinct = 2),
  ],
  ['an item with another content', itemRule, (e) => (e.items[0]!.sum = 'other')],
  ['a cost that is lost', costRule, (e) => (e.companyCosts[0]!.microUsd = 10_000)],
  ['a cost that is counted twice', costRule, (e) => (e.companyCosts[0]!.microUsd = 30_000)],
  ['costs over the budget', costRule, (e) => (e.limits.budgetUsd = 0.019)],
  ['costs of a company without jobs', costRule, (e) => e.companyCosts.push({ company: 'other', microUsd: 1 })],
  ['a retry that is not recorded', retryRule, (e) => (e.retries[0]!.requests = 0)],
  ['a retry that is recorded twice', retryRule, (e) => (e.retries[0]!.requests = 2)],
  ['a retry that started less than it said', retryRule, (e) => (e.retries[0]!.profiles = 1)],
  ['a retry that started more than it said', retryRule, (e) => (e.retries[0]!.profiles = 3)],
  ['a retry that nobody asked for', retryRule, (e) => e.retries.push({ month: '2026-10', requests: 1, profiles: 0 })],
  [
    'a dead letter',
    'no message, webhook or payload is put aside',
    (e) => e.putAside.push({ where: 'dead letter of priority-api', reason: 'not_json' }),
  ],
  [
    'a line of level error before the fault',
    'a log line of level error has a cause',
    (e) => (e.errorLines[0]!.atMs = crash.fromMs - 6_000),
  ],
  [
    'a line of level error of a service that does not depend on what failed',
    'a log line of level error has a cause',
    (e) => {
      e.faults = [{ ...crash, parts: ['object-store'] }];
    },
  ],
  ['a profile with another content than the provider sent', wholeRule, (e) => (e.ledger.at(-1)!.contentSum = 'other')],
  [
    'a wrong count',
    'every item is in the warehouse once, as the provider had it, and counted',
    (e) => (e.tracker[0]!.comments = 1),
  ],
  [
    'items of an aborted run',
    'every item is in the warehouse once, as the provider had it, and counted',
    (e) =>
      e.items.push({
        runId: 'run-2',
        company: 'acme',
        target: 'endless',
        table: 'posts',
        rows: 1,
        distinct: 1,
        sum: '',
      }),
  ],
  ['items of another company', itemRule, (e) => (e.items[1]!.company = 'other')],
  ['items of another target', itemRule, (e) => (e.items[2]!.target = 'endless')],
  ['a lost left-over item', itemRule, (e) => (e.leftOvers[0]!.rows = 3)],
  ['all left-over items lost', itemRule, (e) => e.leftOvers.pop()],
  ['an aborted job that is lost', 'an abort that was confirmed holds', (e) => e.tracker.pop()],
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
    (e) => e.objects.push(profile('grace')),
  ],
  ['a backup that was cut off', wholeRule, (e) => (e.objects[0]!.content = { sum: 'of half a file' })],
  ['a backup with the profile of somebody else', wholeRule, (e) => (e.objects[0]!.content.person = 'ada')],
  ['a backup that differs from the warehouse', wholeRule, (e) => (e.objects[0]!.content.sum = 'other')],
  ['a profile of somebody else in the warehouse', wholeRule, (e) => (e.profileCalls[0]!.content.person = 'ada')],
  ['a scrape that failed and is stored as a success', wholeRule, (e) => (e.ledger.at(-1)!.outcome = 'FAILED')],
  ['a month that is lost', monthRule, (e) => e.monthRuns.pop()],
  ['a month that is never published', monthRule, (e) => (e.monthRuns[0]!.state = 'publishing')],
  ['a person who is not published', monthRule, (e) => (e.monthRuns[0]!.profiles = 0)],
  ['a month that is published twice', monthRule, (e) => e.monthRuns.push(e.monthRuns[0]!)],
  [
    'a month that nobody asked for',
    monthRule,
    (e) => e.monthRuns.push({ month: '2026-10', state: 'completed', profiles: 1 }),
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
  ['a lost grant', grantRule, (e) => e.unusedTokens.pop()],
  [
    'a grant too many',
    grantRule,
    (e) => {
      e.told.push(told({ what: 'token', session: 'session-2', token: 'refresh-9', use: 'check', result: 'refused' }));
      e.unusedTokens.push({ grant: 'grant-2', user: 'ada@example.com', count: 1 });
    },
  ],
  [
    'a token of a disabled user',
    grantRule,
    (e) => {
      e.told.push(told({ what: 'token', session: 'session-2', token: 'code-2', use: 'exchange', result: 'ok' }));
      e.unusedTokens.push({ grant: 'grant-2', user: 'a key of a disabled user', count: 1 });
    },
  ],
  [
    'a client that was refused and is stored',
    'a registered client stays until it is deleted',
    (e) => e.told.unshift(told({ what: 'client', name: 'client-1', use: 'register', result: 'refused' })),
  ],
  ['a lost client', 'a registered client stays until it is deleted', (e) => e.clients.pop()],
  ['a client stored twice', 'a registered client stays until it is deleted', (e) => e.clients.push(e.clients[0]!)],
  [
    'a deleted client that is still there',
    'a registered client stays until it is deleted',
    (e) => e.told.push(told({ what: 'client', name: 'client-1', clientId: 'id-1', use: 'delete', result: 'ok' })),
  ],
  ['a lost key', keyRule, (e) => e.keys.pop()],
  ['a key of another user', keyRule, (e) => (e.keys[0]!.user = 'eve@example.com')],
  ['a key that is stored otherwise than it was told', keyRule, (e) => (e.keys[0]!.keyHash = 'hash-9')],
  ['a key that is stored twice', keyRule, (e) => e.keys.push(e.keys[0]!)],
  [
    'a key that was refused and is stored',
    keyRule,
    (e) => e.told.push(told({ what: 'key', user: 'ada@example.com', name: 'key-1', result: 'refused' })),
  ],
  [
    'a key that nobody asked for',
    keyRule,
    (e) => {
      e.keys.push({ ...e.keys[0]!, keyHash: 'hash-9', name: 'key-9' });
      e.auditedKeys.push({ keyHash: 'hash-9', made: 1, revoked: 0 });
    },
  ],
  ['a key that is not in the audit log', keyRule, (e) => e.auditedKeys.shift()],
  ['a key that was made twice in the audit log', keyRule, (e) => (e.auditedKeys[0]!.made = 2)],
  ['a revocation that is not in the audit log', keyRule, (e) => (e.auditedKeys[1]!.revoked = 0)],
  ['a revocation that is in the audit log twice', keyRule, (e) => (e.auditedKeys[1]!.revoked = 2)],
  [
    'a key that nobody revoked',
    keyRule,
    (e) => {
      e.keys[0]!.isRevoked = true;
      e.auditedKeys[0]!.revoked = 1;
    },
  ],
  [
    'a revoked key that is accepted',
    'what was revoked, disabled or ended is refused after the agreed delay',
    (e) => e.told.push(ended('revoked key', 'try', 7.1)),
  ],
  [
    'a key of a disabled user that is accepted',
    'what was revoked, disabled or ended is refused after the agreed delay',
    (e) => e.told.push(ended('key of a disabled user', 'try', 37.1)),
  ],
  [
    'a key of a disabled user that is accepted for more than a minute while faults follow on each other',
    'what was revoked, disabled or ended is refused after the agreed delay',
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
    'what was revoked, disabled or ended is refused after the agreed delay',
    (e) => e.told.push(ended('session of a disabled user', 'try', 3.1)),
  ],
  [
    'what its user ended and is accepted',
    'what was revoked, disabled or ended is refused after the agreed delay',
    (e) => e.told.push(ended('ended by its user', 'try', 3.1)),
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
  [
    'a data call that is refused too early',
    earlyRule,
    (e) => e.told.push(told({ what: 'data call', user: 'eve@example.com', keyHash: 'hash-2', result: 'refused' })),
  ],
  [
    'a data call that is refused long before the limit is reached',
    earlyRule,
    (e) => {
      const call = { what: 'data call', user: 'eve@example.com', keyHash: 'hash-2' };
      e.told.push(told({ ...call, result: 'refused' }));
      for (const second of [40, 41]) e.told.push(told({ ...call, result: 'ok' }, second));
    },
  ],
  [
    'a password that is refused too early',
    earlyRule,
    (e) => e.told.push(told({ what: 'wrong password', account: 'mallory@example.com', result: 'throttled' })),
  ],
  [
    'a registration that is refused too early',
    earlyRule,
    (e) => e.told.push(told({ what: 'client', name: 'client-2', use: 'register', result: 'refused' })),
  ],
  ['a lost row of identity', identityAuditRule, (e) => (e.identityEvents[0]!.count = 1)],
  ['a row too many of identity', identityAuditRule, (e) => (e.identityEvents[1]!.count = 2)],
  ['a disabling that is not in the audit log', identityAuditRule, (e) => e.identityEvents.splice(2, 1)],
  ...[4, 5, 6, 7, 8, 9].map(
    (index) =>
      [
        `a row of identity too few, of its ${index + 1}th event`,
        identityAuditRule,
        (e: Evidence) => (e.identityEvents[index]!.count = 0),
      ] as const,
  ),
  ['a revocation that nobody asked for', identityAuditRule, (e) => (e.identityEvents[9]!.count = 2)],
  ['a failed login that is not in the audit log', identityAuditRule, (e) => (e.identityEvents[3]!.count = 0)],
  [
    'a secret in a log',
    'no log has a password, token, key or e-mail address',
    (e) => e.logs.findings.push('identity-1.log:3: API key: svc_… (53 characters)'),
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

  it('excuses audit entries that waited for the database until the gateway was killed, and no earlier ones', () => {
    const evidence = sound();
    const calls = evidence.told.filter((entry) => entry.what === 'data call');
    const killedMs = crash.toMs + 500;
    evidence.faults = [
      crash,
      { ...crash, strike: 2, kind: 'kill -9 of a service', parts: ['graphql-gateway'], fromMs: killedMs },
    ];
    evidence.auditedUses[0]!.count -= 1;
    const rule = 'the audit log has every use of a key';
    Object.assign(calls[0]!, { atMs: crash.fromMs - 100 });
    expect(findingsOf(evidence)[rule]).toEqual([]);
    Object.assign(calls[0]!, { atMs: crash.fromMs - 3_000 });
    expect(findingsOf(evidence)[rule]).toHaveLength(1);
  });

  it('accepts a profile that is bought once more for the next month', () => {
    const evidence = sound();
    evidence.told.push(told({ what: 'month', month: '2026-10', sentMs: startMs + 6_000, result: 'ok' }, 6));
    evidence.ledger.push(...scrape('scrape-2', 'grace', 7, 9));
    evidence.profileCalls.push({ ...profile('grace'), status: 'SUCCESS' });
    evidence.objects.push(profile('grace'));
    evidence.monthRuns.push({ month: '2026-10', state: 'completed', profiles: 1 });
    expect(account(evidence).flatMap(({ findings }) => findings)).toEqual([]);
  });

  it('accepts another start after a failed scrape, with a row and a file for each', () => {
    const evidence = sound();
    evidence.ledger = [
      ...evidence.ledger.filter(({ target }) => target !== 'grace'),
      ...scrape('scrape-1', 'grace', 2, 5, 'FAILED'),
      ...scrape('scrape-2', 'grace', 7, 9),
    ];
    const failed = profile('grace', { person: 'grace', sum: 'of a failure' });
    evidence.profileCalls = [
      { ...failed, status: 'FAILED' },
      { ...profile('grace'), status: 'SUCCESS' },
    ];
    evidence.objects = [profile('grace'), failed];
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
