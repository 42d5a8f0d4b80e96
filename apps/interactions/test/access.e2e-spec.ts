// Who may do what: every operation against every kind of caller. A new operation that is missing from the table fails
// the build.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorCommands, serviceTokenEntry } from '@tradewind/service-kit';
import {
  accessFaults,
  answersTo,
  commandFaults,
  openRoutes,
  pipelineCallers,
  PretendIssuer,
  serviceTokensFor,
  servedOperations,
  tableHashes,
  takersOfDeepBodies,
  type Operation,
  type PipelineGroup,
} from '@tradewind/testkit';
import { service } from '../src/service.js';
import { InteractionsWorld, person } from './interactions-app.js';

const serviceToken = 'token-of-a-machine';
const webhookSecret = 'secret-of-the-webhook';
const bearer = (token: string) => ({ authorization: `Bearer ${token}` });

/** For operations on the things of one company: what those get who may, and those who are bound to another. */
const ofCompany = (allowed: number, otherCompany: number) =>
  answersTo(401, {
    forbidden: 403,
    analyst: 403,
    otherCompany,
    company: allowed,
    admin: allowed,
    machine: allowed,
  });

/** What administrators get, those of another company, and those of the company. */
const byAdministrator = (allowed: number, otherCompany = allowed, company = allowed) =>
  answersTo(401, {
    ...{ forbidden: 403, analyst: 403, companyAnalyst: 403, otherCompanyAnalyst: 403 },
    ...{ otherCompany, company, admin: allowed, machine: allowed },
  });

const job = (handle: string, company = 'acme') => ({ user_company_id: company, targets: [person(handle)] });
const webhookOf = (id: string) => ({ eventType: 'ACTOR.RUN.SUCCEEDED', resource: { id } });

describe('access', () => {
  let world: InteractionsWorld;
  let issuer: PretendIssuer;
  let stranger: PretendIssuer;
  let operations: Record<string, Operation<PipelineGroup>>;

  beforeAll(async () => {
    [issuer, stranger] = await Promise.all([PretendIssuer.start(), PretendIssuer.start()]);
    world = await InteractionsWorld.start({
      settings: {
        CALLER_AUTH: 'required',
        OAUTH_ISSUER: issuer.url,
        WEBHOOK_SECRETS: webhookSecret,
        SERVICE_TOKENS: serviceTokensFor('interactions')
          .map((each) => serviceTokenEntry(each.token, each))
          .join(','),
      },
    });
    await world.post('/scraper/network/interactions', job('of-acme'), bearer(serviceToken));
    const [done] = await world.finished();
    const { job_id: jobId, provider_run_id: runId } = done!;
    await world.inboxProcessed();
    const { rows } = await world.sql.query<{ id: string }>('select min(inbox_id)::text as id from "webhook_inboxDev"');
    const webhookId = rows[0]!.id;
    operations = {
      ...openRoutes,
      'POST /scraper/network/interactions': {
        body: job('access'),
        unknown: { body: job('access', 'a company that is not') },
        answers: ofCompany(200, 403),
      },
      'POST /scraper/network/abort-run': {
        body: job('of-acme'),
        unknown: { body: job('never-seen') },
        answers: ofCompany(200, 403),
      },
      'GET /scraper/network/interactions': { answers: ofCompany(200, 200) },
      'GET /scraper/network/interactions/:run_id': {
        path: `/scraper/network/interactions/${jobId}`,
        unknown: { path: `/scraper/network/interactions/${randomUUID()}` },
        answers: ofCompany(200, 404),
      },
      'GET /scraper/network/interactions/:run_id/items': {
        path: `/scraper/network/interactions/${jobId}/items`,
        unknown: { path: `/scraper/network/interactions/${randomUUID()}/items` },
        answers: ofCompany(200, 404),
      },
      'GET /admin/jobs': { path: '/admin/jobs?search=of', answers: byAdministrator(200) },
      'GET /admin/jobs/days': { answers: byAdministrator(200) },
      'GET /admin/jobs/:job_id/timeline': {
        path: `/admin/jobs/${jobId}/timeline`,
        unknown: { path: `/admin/jobs/${randomUUID()}/timeline` },
        answers: byAdministrator(200, 404),
      },
      // Without the company, a caller who belongs to another one takes its own jobs: none.
      'POST /admin/jobs/re-run': { body: { user_company_id: 'acme' }, answers: byAdministrator(200, 403) },
      'POST /admin/jobs/abort': { body: { user_company_id: 'acme' }, answers: byAdministrator(200, 403) },
      'GET /admin/webhooks': {
        path: `/admin/webhooks?job_id=${jobId}`,
        unknown: { path: `/admin/webhooks?job_id=${randomUUID()}` },
        answers: byAdministrator(200),
      },
      'GET /admin/webhooks/:webhook_id': {
        path: `/admin/webhooks/${webhookId}`,
        unknown: { path: '/admin/webhooks/987654321' },
        answers: byAdministrator(200, 404),
      },
      'POST /admin/webhooks/:webhook_id/replay': {
        path: `/admin/webhooks/${webhookId}/replay`,
        unknown: { path: '/admin/webhooks/987654321/replay' },
        answers: byAdministrator(200, 404),
      },
      'GET /admin/budgets': { answers: byAdministrator(200) },
      'GET /admin/budgets/:user_company_id': { path: '/admin/budgets/acme', answers: byAdministrator(200, 403) },
      'PUT /admin/budgets/:user_company_id': {
        path: '/admin/budgets/acme',
        body: { budget_usd: 10 },
        answers: byAdministrator(200, 403, 403),
      },
      'DELETE /admin/budgets/:user_company_id': {
        path: '/admin/budgets/acme',
        answers: byAdministrator(200, 403, 403),
      },
      'POST /scraper/network/webhook': {
        body: webhookOf(runId!),
        unknown: { body: webhookOf('unknown') },
        answers: answersTo(401, { provider: 200 }),
      },
    };
  });
  afterAll(async () => {
    await world.stop();
    await Promise.all([issuer.close(), stranger.close()]);
  });

  it('every route answers every caller as the table says', async () => {
    const callers = pipelineCallers(issuer, stranger, { provider: webhookSecret });
    const state = async () => {
      await world.finished();
      await world.inboxProcessed();
      return { ...(await tableHashes(world.database.url)), provider: world.simulator.ledger().length };
    };
    expect(await accessFaults({ running: world.replicas[0]!, operations, callers, state })).toEqual([]);
  }, 240_000);

  it('the OpenAPI document has every operation of the table, with statuses and their content', async () => {
    const documented = Object.keys(await servedOperations(world.url));
    expect(documented.sort()).toEqual(
      Object.keys(operations)
        .filter((route) => /\/(?:scraper|admin)\//.test(route))
        .sort(),
    );
  });

  it('every operation refuses a body nested 20,000 levels deep', async () => {
    expect(await takersOfDeepBodies(world.url, operations)).toEqual([]);
  });

  it('no operator command runs without the settings, or with a wrong password of the database', async () => {
    const faults = await commandFaults({
      commands: (env) => operatorCommands(service, env),
      databaseUrl: world.database.url,
      settings: [
        'ENVIRONMENT',
        'DATABASE_URL',
        'OAUTH_ISSUER',
        'SERVICE_TOKEN',
        'PROVIDER_TOKEN',
        'WEBHOOK_BASE_URL',
        'WEBHOOK_SECRETS',
        'WAREHOUSE_DATABASE_URL',
      ],
      argumentsOf: {
        serve: [],
        migrate: [],
        'budget list': [],
        'budget show': ['acme'],
        'budget set': ['acme', '10'],
        'budget clear': ['acme'],
      },
    });
    expect(faults).toEqual([]);
  });

  it('names the rule that refuses a call', async () => {
    const trigger = (token: string, more: object = {}) =>
      world.post('/scraper/network/interactions', { ...job('access'), ...more }, bearer(token));
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
