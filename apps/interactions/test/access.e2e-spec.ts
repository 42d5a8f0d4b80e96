// Who may do what, by enumeration: every operation against every kind of caller. A new operation that is missing from
// the table fails the build.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceTokenEntry } from '@tradewind/service-kit';
import { InteractionsWorld, person } from './interactions-app.js';
import { PretendIssuer } from '@tradewind/testkit';

const body = { user_company_id: 'acme', targets: [person('access')] };
const webhook = { eventType: 'ACTOR.RUN.SUCCEEDED', resource: { id: 'unknown' } };

interface Operation {
  body?: object;
  path?: string;
  /** Status for callers who may, and for callers bound to another company than the one that the operation is about. */
  allowed: number;
  foreign?: number;
  by: 'caller' | 'secret';
}

/** Operation -> how it is called, and what it answers. */
const operations: Record<string, Operation> = {
  'post /scraper/network/interactions': { body, allowed: 200, foreign: 403, by: 'caller' },
  'post /scraper/network/abort-run': { body, allowed: 200, foreign: 403, by: 'caller' },
  'get /scraper/network/interactions': { allowed: 200, foreign: 200, by: 'caller' },
  'get /scraper/network/interactions/{run_id}': {
    path: '/scraper/network/interactions/JOB_ID',
    allowed: 200,
    foreign: 404,
    by: 'caller',
  },
  'post /scraper/network/webhook': { body: webhook, allowed: 404, by: 'secret' },
};

const serviceToken = 'service-token-of-the-test';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
const secretHeader = { 'x-webhook-secret': 'dev-only-webhook-secret' };

describe('access', () => {
  let world: InteractionsWorld;
  let issuer: PretendIssuer;
  /** A job of acme. */
  let jobId: string;

  beforeAll(async () => {
    issuer = await PretendIssuer.start();
    world = await InteractionsWorld.start({
      settings: {
        CALLER_AUTH: 'required',
        OAUTH_ISSUER: issuer.url,
        SERVICE_TOKENS: [
          serviceTokenEntry('token-of-before', { name: 'robot', services: ['interactions'] }),
          serviceTokenEntry(serviceToken, { name: 'robot', services: ['priority-api', 'interactions'] }),
          serviceTokenEntry('token-of-acme', { name: 'acme-robot', services: ['interactions'], companyId: 'acme' }),
          serviceTokenEntry('token-of-globex', { name: 'globex', services: ['interactions'], companyId: 'globex' }),
          serviceTokenEntry('token-for-others', { name: 'other', services: ['coordinator'] }),
        ].join(','),
      },
    });
    await world.post('/scraper/network/interactions', { ...body, targets: [person('of-acme')] }, bearer(serviceToken));
    jobId = (await world.tracker())[0]!.job_id;
  });
  afterAll(async () => {
    await world.stop();
    await issuer.close();
  });

  /** Caller -> headers, and what an operation for callers answers: allowed, what it has for another company, or a status. */
  const callers: Record<string, [() => Record<string, string>, 'allowed' | 'foreign' | 401 | 403]> = {
    nobody: [() => ({}), 401],
    'an analyst of the company': [() => bearer(issuer.accessToken({ user_company_id: 'acme' })), 'allowed'],
    'an analyst of no company': [() => bearer(issuer.accessToken()), 403],
    'an analyst of no company with a direct-login token': [
      () => bearer(issuer.directToken({ userRole: 'ANALYST' })),
      403,
    ],
    'an analyst of another company': [() => bearer(issuer.accessToken({ user_company_id: 'globex' })), 'foreign'],
    'an admin of another company': [() => bearer(issuer.directToken({ user_company_id: 'globex' })), 'foreign'],
    'an admin with a direct-login token': [() => bearer(issuer.directToken()), 'allowed'],
    'a token with a company that is none': [() => bearer(issuer.accessToken({ user_company_id: '' })), 401],
    'a plain user': [() => bearer(issuer.accessToken({ userRole: 'USER' })), 403],
    'a plain user with a direct-login token': [() => bearer(issuer.directToken({ userRole: 'USER' })), 403],
    'a token for another resource': [() => bearer(issuer.accessToken({ aud: 'urn:tradewind:data' })), 401],
    'an expired token': [() => bearer(issuer.accessToken({ exp: 1_700_000_000 })), 401],
    'a token of another issuer': [() => bearer(issuer.accessToken({ iss: 'https://elsewhere.example' })), 401],
    'a tampered token': [() => bearer(`${issuer.accessToken().slice(0, -8)}AAAAAAAA`), 401],
    'a service token': [() => bearer(serviceToken), 'allowed'],
    'a service token of the company': [() => bearer('token-of-acme'), 'allowed'],
    'a service token of another company': [() => bearer('token-of-globex'), 'foreign'],
    'a service token for other services': [() => bearer('token-for-others'), 403],
    'an unknown service token': [() => bearer('another-token'), 401],
    'the secret of the webhook': [() => secretHeader, 401],
  };

  const call = async (operation: string, headers: Record<string, string>) => {
    const [method, path] = operation.split(' ') as [string, string];
    const { body: sent, path: address = path } = operations[operation]!;
    const response = await fetch(`${world.url}${address.replace('JOB_ID', jobId)}`, {
      method: method.toUpperCase(),
      headers: { ...headers, ...(sent ? { 'content-type': 'application/json' } : {}) },
      ...(sent ? { body: JSON.stringify(sent) } : {}),
    });
    await response.arrayBuffer();
    return response.status;
  };

  it.each(Object.keys(operations).filter((operation) => operation.startsWith('post ')))(
    '%s answers a body nested 20,000 levels deep with 400',
    async (operation) => {
      const response = await fetch(world.url + operation.split(' ')[1], {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: '{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000),
      });
      expect({ status: response.status, body: await response.json() }).toEqual({
        status: 400,
        body: { message: ['body must not be nested in more than 100 levels'], error: 'Bad Request', statusCode: 400 },
      });
    },
  );

  it('the table names every operation of the OpenAPI document', async () => {
    const document = (await (await fetch(`${world.url}/openapi.json`)).json()) as { paths: Record<string, object> };
    const served = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method} ${path}`),
    );
    expect(served.sort()).toEqual(Object.keys(operations).sort());
  });

  describe.each(Object.entries(operations).filter(([, { by }]) => by === 'caller'))('%s', (operation, answers) => {
    it.each(Object.entries(callers))('%s', async (_caller, [headers, expected]) => {
      expect(await call(operation, headers())).toBe(
        expected === 'allowed' || expected === 'foreign' ? answers[expected] : expected,
      );
    });
  });

  describe.each(Object.entries(operations).filter(([, { by }]) => by === 'secret'))('%s', (operation, { allowed }) => {
    it.each(Object.entries(callers))('%s', async (caller, [headers]) => {
      expect(await call(operation, headers())).toBe(caller === 'the secret of the webhook' ? allowed : 401);
    });
  });

  it('a refused call records nothing and calls no provider', async () => {
    await world.finished();
    const before = [(await world.tracker()).length, world.simulator.ledger().length];
    await call('post /scraper/network/interactions', bearer(issuer.accessToken({ userRole: 'USER' })));
    expect([(await world.tracker()).length, world.simulator.ledger().length]).toEqual(before);
  });

  it('says which rule refuses', async () => {
    const trigger = (token: string, more: object = {}) =>
      world.post('/scraper/network/interactions', { ...body, ...more }, bearer(token));
    const refusals = [
      await trigger('token-of-globex'),
      await trigger(issuer.accessToken()),
      await trigger(issuer.accessToken({ user_company_id: 'acme' }), { trigger_user_id: 'somebody-else' }),
    ];
    expect(refusals.map(({ status, body: answer }) => [status, answer])).toEqual(
      [
        'This caller belongs to company "globex" and may act for that company alone',
        'This account belongs to no company; without one only an ADMIN may act for a company',
        'trigger_user_id must be the id of the user who calls, or be left out; only an ADMIN may name another',
      ].map((message) => [403, { message, error: 'Forbidden', statusCode: 403 }]),
    );
  });

  it('lets a user start jobs in the own name, and an admin or a machine in any', async () => {
    const starts: [string, string, string | null][] = [
      [issuer.accessToken({ user_company_id: 'acme' }), 'own-name', 'user-1'],
      [issuer.accessToken({ user_company_id: 'acme' }), 'no-name', null],
      [issuer.directToken(), 'by-admin', 'somebody-else'],
      ['token-of-acme', 'by-machine', 'user of the CRM'],
    ];
    for (const [token, handle, trigger_user_id] of starts) {
      const answer = await world.post(
        '/scraper/network/interactions',
        { user_company_id: 'acme', trigger_user_id, targets: [person(handle)] },
        bearer(token),
      );
      expect(answer).toMatchObject({ status: 200, body: { success: true, trigger_user_id } });
    }
  });

  it('stores and shows who started a job and who aborted it first', async () => {
    world.simulator.addFaults([{ on: 'run', kind: 'slow', target: ['recorded'], delayMs: 60_000 }]);
    const request = { user_company_id: 'globex', targets: [person('recorded')] };
    await world.post('/scraper/network/interactions', request, bearer('token-of-globex'));
    const abort = (token: string) => world.post('/scraper/network/abort-run', request, bearer(token));
    expect(await abort(issuer.directToken({ sub: 'the-admin' }))).toMatchObject({ body: { successful_count: 1 } });
    expect(await abort('token-of-globex')).toMatchObject({ body: { successful_count: 0 } });
    const row = (await world.tracker()).find(({ networkUsername }) => networkUsername === 'recorded');
    expect(row).toMatchObject({ triggered_by: 'globex', aborted_by: 'the-admin', status: 'ABORTED' });
    const { body: shown } = await world.get(
      `/scraper/network/interactions/${row!.job_id}`,
      bearer(issuer.accessToken({ user_company_id: 'globex' })),
    );
    expect(shown).toMatchObject({ triggered_by: 'globex', aborted_by: 'the-admin' });
  });

  it('lists the jobs of the own company alone, whatever the filter', async () => {
    const list = async (token: string, query = '') => {
      const { body: page } = await world.get(`/scraper/network/interactions${query}`, bearer(token));
      return (page as { interactions: { user_company_id: string }[] }).interactions;
    };
    const companies = async (token: string, query = '') =>
      [...new Set((await list(token, query)).map(({ user_company_id }) => user_company_id))].sort();
    expect(await companies(serviceToken)).toEqual(['acme', 'globex']);
    expect(await companies(issuer.directToken())).toEqual(['acme', 'globex']);
    expect(await companies('token-of-globex')).toEqual(['globex']);
    expect(await companies(issuer.accessToken({ user_company_id: 'acme' }))).toEqual(['acme']);
    expect(await list('token-of-globex', '?user_company_id=acme')).toEqual([]);
    expect(await companies('token-of-globex', '?user_company_id=globex')).toEqual(['globex']);
  });

  it('knows nobody and binds nobody where callers need not say who they are', async () => {
    const open = await world.addReplica({ CALLER_AUTH: 'none' });
    const request = { user_company_id: 'any', trigger_user_id: 'anybody', targets: [person('open')] };
    const answer = await world.post('/scraper/network/interactions', request, {}, open.url);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    const row = (await world.tracker()).find(({ networkUsername }) => networkUsername === 'open');
    expect(row).toMatchObject({ triggered_by: null, aborted_by: null, trigger_user_id: 'anybody' });
  });
});
