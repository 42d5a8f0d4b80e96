// Who may do what: every operation against every kind of caller. A new operation that is missing from the table fails
// the build.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceTokenEntry } from '@tradewind/service-kit';
import { InteractionsWorld, person } from './interactions-app.js';
import { accessTable, PretendIssuer, servedOperations, takersOfDeepBodies, type Operation } from '@tradewind/testkit';

const body = { user_company_id: 'acme', targets: [person('access')] };
const webhook = { eventType: 'ACTOR.RUN.SUCCEEDED', resource: { id: 'unknown' } };

/** What an operation answers to callers who may use it, and to callers that are bound to another company. */
const answers: Record<string, Operation & { allowed: number; foreign?: number }> = {
  'post /scraper/network/interactions': { body, allowed: 200, foreign: 403 },
  'post /scraper/network/abort-run': { body, allowed: 200, foreign: 403 },
  'get /scraper/network/interactions': { allowed: 200, foreign: 200 },
  'get /scraper/network/interactions/{run_id}': { allowed: 200, foreign: 404 },
  // Not for callers: it asks for the secret of the webhook.
  'post /scraper/network/webhook': { body: webhook, allowed: 404 },
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

  /** Headers of each caller, and what it gets: the answer of `allowed`, that of `foreign`, or a status. */
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

  it('the table names every operation of the OpenAPI document', async () => {
    expect(Object.keys(await servedOperations(world.url)).sort()).toEqual(Object.keys(answers).sort());
  });

  it('every operation refuses a body nested 20,000 levels deep', async () => {
    expect(await takersOfDeepBodies(world.url, answers)).toEqual([]);
  });

  it.each(Object.entries(callers))(
    'every operation answers %s as the tables above say',
    async (caller, [headers, expected]) => {
      const operations = structuredClone(answers);
      operations['get /scraper/network/interactions/{run_id}']!.path = `/scraper/network/interactions/${jobId}`;
      const table = await accessTable(world.url, operations, { [caller]: headers() });
      const statuses = Object.entries(answers).map(([name, answer]) => {
        if (answer.foreign === undefined) return [name, caller === 'the secret of the webhook' ? answer.allowed : 401];
        return [name, typeof expected === 'number' ? expected : answer[expected]];
      });
      expect(Object.entries(table).map(([name, row]) => [name, row[caller]])).toEqual(statuses);
    },
  );

  it('a refused call records nothing and calls no provider', async () => {
    await world.finished();
    const before = [(await world.tracker()).length, world.simulator.ledger().length];
    await world.post('/scraper/network/interactions', body, bearer(issuer.accessToken({ userRole: 'USER' })));
    expect([(await world.tracker()).length, world.simulator.ledger().length]).toEqual(before);
  });

  it('names the rule that refuses a call', async () => {
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

  it('lets a user start jobs in their own name, and an admin or a machine in any name', async () => {
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

  it('shows a bound caller only the jobs of its own company, whatever the filter', async () => {
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

  it('records no caller and binds none where CALLER_AUTH is none', async () => {
    const open = await world.addReplica({ CALLER_AUTH: 'none' });
    const request = { user_company_id: 'any', trigger_user_id: 'anybody', targets: [person('open')] };
    const answer = await world.post('/scraper/network/interactions', request, {}, open.url);
    expect(answer).toMatchObject({ status: 200, body: { success: true } });
    const row = (await world.tracker()).find(({ networkUsername }) => networkUsername === 'open');
    expect(row).toMatchObject({ triggered_by: null, aborted_by: null, trigger_user_id: 'anybody' });
  });
});
