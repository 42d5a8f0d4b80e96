// Every operation against every kind of caller. An operation that is missing here fails the build.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorCommands, serviceTokenEntry } from '@tradewind/service-kit';
import {
  accessFaults,
  answersTo,
  commandFaults,
  ofAllCompanies,
  openRoutes,
  pipelineCallers,
  PretendIssuer,
  servedOperations,
  serviceTokensFor,
  tableHashes,
  takersOfDeepBodies,
  type Operation,
  type PipelineGroup,
} from '@tradewind/testkit';
import { service } from '../src/service.js';
import { envelope, eventually, profiles, pushToken, startApp, type TestApp } from './priority-api-app.js';

const serviceToken = 'token-of-a-machine';
const retryPath = '/months/2026-11/profiles/retry';

const operations: Record<string, Operation<PipelineGroup>> = {
  ...openRoutes,
  'POST /batch-trigger': {
    body: envelope({ profiles: profiles(1, 'pushed') }),
    unknown: { body: envelope({ profiles: profiles(1) }) },
    // Any credential but that of the queue is the wrong one.
    answers: answersTo(403, { nobody: 401, provider: 401, queue: 200 }),
  },
  'GET /months/:month': { path: '/months/2026-11', unknown: { path: '/months/2001-01' }, answers: ofAllCompanies(200) },
  'POST /months/:month/profiles/lookup': {
    path: '/months/2026-11/profiles/lookup',
    body: { network_usernames: ['pushed-0'] },
    unknown: { body: { network_usernames: ['never-seen'] } },
    answers: ofAllCompanies(200),
  },
  'POST /months/:month/profiles/retry': {
    path: retryPath,
    body: { profiles: profiles(1, 'pushed') },
    unknown: { body: { profiles: profiles(1) } },
    answers: ofAllCompanies(200),
  },
};

/** For what concerns no company: administrators and machines of all companies. */
const byAdministrator = (allowed: number) =>
  answersTo(401, {
    ...{ forbidden: 403, analyst: 403, company: 403, otherCompany: 403 },
    ...{ admin: allowed, machine: allowed },
  });
const ofLetter = (action: string, body?: object): Operation<PipelineGroup> => ({
  path: `/admin/dead-letters/1${action}`,
  unknown: { path: `/admin/dead-letters/987654${action}` },
  ...(body && { body }),
  answers: byAdministrator(200),
  // Nothing is handled twice.
  ready: () =>
    app.query('update dead_letter set redriven_at = null, dropped_at = null, dropped_by = null, drop_reason = null'),
});
Object.assign(operations, {
  'GET /admin/attention': { answers: byAdministrator(200) },
  'GET /admin/dead-letters': { answers: byAdministrator(200) },
  'GET /admin/dead-letters/:id': ofLetter(''),
  'GET /admin/profiles/:username/calls': {
    path: '/admin/profiles/access/calls',
    answers: byAdministrator(200),
  },
  'POST /admin/dead-letters/:id/redrive': ofLetter('/redrive', { content: { profiles: profiles(1, 'corrected') } }),
  'POST /admin/dead-letters/:id/drop': ofLetter('/drop', { reason: 'a test' }),
});

let app: TestApp;
let issuer: PretendIssuer;
let stranger: PretendIssuer;
beforeAll(async () => {
  [issuer, stranger] = await Promise.all([PretendIssuer.start(), PretendIssuer.start()]);
  app = await startApp({
    OAUTH_ISSUER: issuer.url,
    // The watch writes at its own times, which would look like a change by a refused call.
    WATCH_INTERVAL_MS: '600000',
    SERVICE_TOKENS: serviceTokensFor('priority-api')
      .map((each) => serviceTokenEntry(each.token, each))
      .join(','),
  });
  await app.push({ profiles: profiles(1, 'pushed') });
  await app.push({ profiles: [] });
  await eventually(() => expect(app.webhook.received).toHaveLength(1));
});
afterAll(async () => {
  await app.close();
  await Promise.all([issuer.close(), stranger.close()]);
});

const post = async (path: string, body: unknown, token: string | undefined, url = app.url) => {
  const response = await fetch(url + path, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('access', () => {
  it('every route answers every caller as the table says', async () => {
    const callers = pipelineCallers(issuer, stranger, { queue: pushToken });
    const state = async () => {
      // The start of a profile is recorded after the provider has sent its webhook, or after the answer to the call.
      await eventually(async () => {
        expect(await app.query(`select from profile_call where state in ('pending', 'starting', 'unknown')`)).toEqual(
          [],
        );
      });
      return {
        ...(await tableHashes(app.env['DATABASE_URL']!)),
        provider: app.simulator.ledger().length,
        webhook: app.webhook.received.length,
      };
    };
    expect(await accessFaults({ running: app.running, operations, callers, state })).toEqual([]);
  }, 240_000);

  it('the OpenAPI document names every operation and every status', async () => {
    expect(await servedOperations(app.url)).toEqual({
      'GET /admin/attention': '200 401 403 503',
      'GET /admin/dead-letters': '200 400 401 403 503',
      'GET /admin/dead-letters/:id': '200 400 401 403 404 503',
      'GET /admin/profiles/:username/calls': '200 400 401 403 503',
      'POST /admin/dead-letters/:id/drop': '200 400 401 403 404 409 413 415 503',
      'POST /admin/dead-letters/:id/redrive': '200 400 401 403 404 409 413 415 503',
      'POST /batch-trigger': '200 400 401 403 413 415 503',
      'GET /months/:month': '200 400 401 403 503',
      'POST /months/:month/profiles/lookup': '200 400 401 403 413 415 503',
      'POST /months/:month/profiles/retry': '200 400 401 403 413 415 503',
    });
  });

  it('every operation refuses a body nested 20,000 levels deep', async () => {
    expect(await takersOfDeepBodies(app.url, operations)).toEqual([]);
  });

  it('no operator command runs without the settings, or with a wrong password of the database', async () => {
    const faults = await commandFaults({
      commands: (env) => operatorCommands(service, env),
      databaseUrl: app.env['DATABASE_URL']!,
      settings: [
        'ENVIRONMENT',
        'DATABASE_URL',
        'OAUTH_ISSUER',
        'QUEUE_PUSH_TOKEN',
        'PROVIDER_TOKEN',
        'PROFILE_WEBHOOK_URL',
        'PROFILE_WEBHOOK_SECRETS',
        'PRIORITY_WEBHOOK_URL',
        'SERVICE_TOKEN',
      ],
      argumentsOf: {
        serve: [],
        migrate: [],
        'dead-letter list': [],
        'dead-letter show': ['7'],
        'dead-letter drop': ['7', '--reason', 'a test'],
        'dead-letter redrive': [],
        'profiles retry-missing': [],
        'profiles count': [],
      },
    });
    expect(faults).toEqual([]);
  });
});

describe('PUSH_AUTH=none', () => {
  it('admits a push without a token in dev, but never a wrong token', async () => {
    const open = await app.replica({ PUSH_AUTH: 'none' });
    const statusOf = async (token?: string) =>
      (await post('/batch-trigger/', envelope({ profiles: profiles(1) }), token, open.url)).status;
    expect([await statusOf(), await statusOf('not-a-token'), await statusOf(pushToken)]).toEqual([200, 403, 200]);
  });

  it('is refused outside dev', async () => {
    const { AppConfig } = await import('../src/app.config.js');
    expect(() => new AppConfig({ ...app.env, ENVIRONMENT: 'staging', PUSH_AUTH: 'none' })).toThrow(
      /PUSH_AUTH +must be required outside dev/,
    );
  });
});

it('stores who asked for a retry', async () => {
  const [one] = profiles(1);
  const plan_id = randomUUID();
  const body = { profiles: [{ ...one, network_username: 'asked-by-the-test' }], plan_id, published: true };
  expect((await post(retryPath, body, serviceToken)).status).toBe(200);
  expect(await app.query('select requested_by from profile_retry where plan_id = $1', [plan_id])).toEqual([
    { requested_by: 'machine' },
  ]);
});

describe('what was never published here', () => {
  it.each<[string, object]>([
    ['in a month', {}],
    ['for an unknown forced run', { forced_run_id: randomUUID() }],
  ])('is bought by an admin, and not by an analyst, %s', async (_what, more) => {
    const asked = profiles(1);
    const body = { profiles: asked, published: true, ...more };
    const ask = (userRole: string, asIt: object = body) => post(retryPath, asIt, issuer.accessToken({ userRole }));
    const refused = {
      status: 403,
      body: {
        message: 'published starts profiles for the first time and needs the role ADMIN or a service token',
        error: 'Forbidden',
        statusCode: 403,
      },
    };
    expect(await ask('ANALYST')).toEqual(refused);
    expect(await ask('ANALYST', { ...body, dry_run: true })).toEqual(refused);
    expect(await ask('ANALYST', { ...body, published: false })).toMatchObject({ status: 200, body: { not_known: 1 } });
    const starts = () =>
      app.simulator.ledger({ operation: 'profile.start', target: asked[0]!.network_username }).length;
    expect(starts()).toBe(0);
    expect(await ask('ADMIN')).toMatchObject({ status: 200, body: { started: 1 } });
    await eventually(() => expect(starts()).toBe(1));
  });
});
