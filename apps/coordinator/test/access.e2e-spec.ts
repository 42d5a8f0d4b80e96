// Every operation against every kind of caller. An operation that is missing here fails the build.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorCommands, serviceTokenEntry } from '@tradewind/service-kit';
import { monthOf } from '@tradewind/shared-types';
import {
  accessFaults,
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
import { serviceToken, startApp, type TestApp } from './coordinator-app.js';

const month = monthOf(new Date());

let app: TestApp;
let issuer: PretendIssuer;
let stranger: PretendIssuer;
let runId: string;
let operations: Record<string, Operation<PipelineGroup>>;
beforeAll(async () => {
  [issuer, stranger] = await Promise.all([PretendIssuer.start(), PretendIssuer.start()]);
  app = await startApp({
    OAUTH_ISSUER: issuer.url,
    SERVICE_TOKENS: [
      serviceTokenEntry(serviceToken, { name: 'test', services: ['coordinator'] }),
      ...serviceTokensFor('coordinator').map((each) => serviceTokenEntry(each.token, each)),
    ].join(','),
  });
  runId = ((await app.runToEnd({ month })) as { run_id: string }).run_id;
  operations = {
    ...openRoutes,
    'POST /run': {
      body: { month },
      unknown: { body: { month, limit: 1 } },
      answers: ofAllCompanies(202),
      // A run that is under way refuses another one.
      ready: () => app.untilCompleted(runId),
    },
    'GET /runs': { answers: ofAllCompanies(200) },
    'GET /months': { answers: ofAllCompanies(200) },
    'GET /runs/:run_id': {
      path: `/runs/${runId}`,
      unknown: { path: `/runs/${randomUUID()}` },
      answers: ofAllCompanies(200),
    },
    'GET /months/:month/report': {
      path: `/months/${month}/report`,
      unknown: { path: '/months/2001-01/report' },
      answers: ofAllCompanies(200),
    },
    'GET /months/:month/missing': {
      path: `/months/${month}/missing`,
      unknown: { path: '/months/2001-01/missing' },
      answers: ofAllCompanies(200),
    },
    'GET /months/:month/profiles/:username': {
      path: `/months/${month}/profiles/access`,
      unknown: { path: '/months/2001-01/profiles/access' },
      answers: ofAllCompanies(200),
    },
    'POST /months/:month/retry-missing': {
      path: `/months/${month}/retry-missing`,
      unknown: { path: '/months/2001-01/retry-missing' },
      answers: ofAllCompanies(200),
    },
  };
});
afterAll(async () => {
  await app.close();
  await Promise.all([issuer.close(), stranger.close()]);
});

describe('access', () => {
  it('every route answers every caller as the table says', async () => {
    const callers = pipelineCallers(issuer, stranger);
    const state = async () => {
      // An admitted call may have started the run again, which goes on after its answer.
      await app.untilCompleted(runId);
      return {
        // The dispatcher of the queue writes all the time.
        ...(await tableHashes(app.databaseUrl, ['queue', 'version'])),
        pushed: app.neighbours.pushed.length,
        retries: app.neighbours.retries.length,
      };
    };
    expect(await accessFaults({ running: app.running, operations, callers, state })).toEqual([]);
  }, 240_000);

  it('the OpenAPI document names every operation and every status', async () => {
    expect(await servedOperations(app.url)).toEqual({
      'POST /run': '202 400 401 403 409 413 415 503',
      'GET /months': '200 400 401 403 503',
      'GET /runs': '200 400 401 403 503',
      'GET /runs/:run_id': '200 400 401 403 404 503',
      'GET /months/:month/report': '200 400 401 403 404 503',
      'GET /months/:month/missing': '200 400 401 403 404 503',
      'GET /months/:month/profiles/:username': '200 400 401 403 404 503',
      'POST /months/:month/retry-missing': '200 400 401 403 404 413 415 503',
    });
  });

  it('every operation refuses a body nested 20,000 levels deep', async () => {
    expect(await takersOfDeepBodies(app.url, operations)).toEqual([]);
  });

  it('no operator command runs without the settings, or with a wrong password of the database', async () => {
    const faults = await commandFaults({
      commands: (env) => operatorCommands(service, env),
      databaseUrl: app.databaseUrl,
      settings: [
        'ENVIRONMENT',
        'DATABASE_URL',
        'OAUTH_ISSUER',
        'QUEUE_PUSH_TOKEN',
        'QUEUE_DATABASE_URL',
        'WAREHOUSE_DATABASE_URL',
        'PRIORITY_API_URL',
        'PRIORITY_WEBHOOK_URL',
        'SERVICE_TOKEN',
      ],
      argumentsOf: { serve: [], migrate: [], run: [], runs: [], report: [], 'retry-missing': [], 'queue ensure': [] },
    });
    expect(faults).toEqual([]);
  });
});

describe('what is stored of the caller', () => {
  it('names the caller who asked for a run, and for a retry', async () => {
    expect(await app.query('select triggered_by from run where run_id = $1', [runId])).toEqual([
      { triggered_by: 'test' },
    ]);
    const { body } = await app.request('GET', `/runs/${runId}`);
    expect(body).toMatchObject({ triggered_by: 'test' });
    const plan_id = randomUUID();
    expect((await app.request('POST', `/months/${month}/retry-missing`, { plan_id })).status).toBe(200);
    expect(await app.query('select month, requested_by from retry_request where plan_id = $1', [plan_id])).toEqual([
      { month, requested_by: 'test' },
    ]);
    const dry = randomUUID();
    await app.request('POST', `/months/${month}/retry-missing`, { plan_id: dry, dry_run: true });
    expect(await app.query('select from retry_request where plan_id = $1', [dry])).toEqual([]);
  });
});
