// Every operation against every kind of caller. An operation that is missing here fails the build.
import { createHash } from 'node:crypto';
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
  serviceTokensFor,
  tableHashes,
  takersOfDeepBodies,
  type Operation,
  type PipelineGroup,
} from '@tradewind/testkit';
import { service } from '../src/service.js';
import { eventually, profileBody, startApp, webhookSecret, type TestApp } from './priority-webhook-app.js';

const operations: Record<string, Operation<PipelineGroup>> = {
  ...openRoutes,
  'POST /webhook/network': {
    body: profileBody('access'),
    unknown: { body: profileBody('never-seen') },
    answers: answersTo(401, { provider: 200 }),
  },
  'GET /profiles/:username/status': {
    path: '/profiles/access/status',
    unknown: { path: '/profiles/never-seen/status' },
    answers: ofAllCompanies(200),
  },
  'POST /months/:month/profiles/lookup': {
    path: '/months/2026-11/profiles/lookup',
    body: { network_usernames: ['access'] },
    unknown: { body: { network_usernames: ['never-seen'] } },
    answers: ofAllCompanies(200),
  },
};

/** For what concerns no company: administrators and machines of all companies. */
const byAdministrator = (allowed: number) =>
  answersTo(401, {
    ...{ forbidden: 403, analyst: 403, company: 403, otherCompany: 403 },
    ...{ admin: allowed, machine: allowed },
  });
const unusableId = createHash('sha256').update('{"url":"none"}').digest('hex');
const ofUnusable = (action: string, body?: object): Operation<PipelineGroup> => ({
  path: `/admin/unusable-webhooks/${unusableId}${action}`,
  unknown: { path: `/admin/unusable-webhooks/${'f'.repeat(64)}${action}` },
  ...(body && { body }),
  answers: byAdministrator(200),
  ready: () => app.query('update unusable_payload set dropped_at = null, dropped_by = null, drop_reason = null'),
});
Object.assign(operations, {
  'GET /admin/profiles/:username/deliveries': {
    path: '/admin/profiles/access/deliveries',
    unknown: { path: '/admin/profiles/never-seen/deliveries' },
    answers: byAdministrator(200),
  },
  'GET /admin/profiles/:username/deliveries/:delivery_id': {
    path: '/admin/profiles/access/deliveries/1',
    unknown: { path: '/admin/profiles/never-seen/deliveries/1' },
    answers: byAdministrator(200),
  },
  'GET /admin/unusable-webhooks': { answers: byAdministrator(200) },
  'GET /admin/unusable-webhooks/:id': ofUnusable(''),
  'POST /admin/unusable-webhooks/:id/drop': ofUnusable('/drop', { reason: 'a test' }),
});

let app: TestApp;
let issuer: PretendIssuer;
let stranger: PretendIssuer;
beforeAll(async () => {
  [issuer, stranger] = await Promise.all([PretendIssuer.start(), PretendIssuer.start()]);
  app = await startApp({
    OAUTH_ISSUER: issuer.url,
    SERVICE_TOKENS: serviceTokensFor('priority-webhook')
      .map((each) => serviceTokenEntry(each.token, each))
      .join(','),
  });
  await app.deliver(profileBody('access'));
  await app.query(
    `insert into unusable_payload (fingerprint, reason, body, first_received_at, last_received_at)
     values ($1, 'url', '{"url":"none"}', now(), now())`,
    [unusableId],
  );
  await eventually(async () => expect(await app.query('select from open_delivery')).toEqual([]));
});
afterAll(async () => {
  await app.close();
  await Promise.all([issuer.close(), stranger.close()]);
});

describe('access', () => {
  it('every route answers every caller as the table says', async () => {
    const callers = pipelineCallers(issuer, stranger, { provider: webhookSecret });
    const state = () => tableHashes(app.databaseUrl);
    expect(await accessFaults({ running: app.running, operations, callers, state })).toEqual([]);
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
        'SERVICE_TOKEN',
        'PROFILE_WEBHOOK_SECRETS',
        'WAREHOUSE_DATABASE_URL',
        'OBJECT_STORE_DIR',
      ],
      argumentsOf: { serve: [], migrate: [], 'profile status': ['access'], 'unusable list': [] },
    });
    expect(faults).toEqual([]);
  });
});

describe('settings', () => {
  it('accept the older secret during a rotation', async () => {
    const replica = await app.replica({ PROFILE_WEBHOOK_SECRETS: 'the-new-one, the-old-one' });
    for (const [secret, status] of [
      ['the-new-one', 200],
      ['the-old-one', 200],
      ['the-new-one,the-old-one', 401],
      ['', 401],
    ] as const) {
      const response = await fetch(`${replica.url}/webhook/network`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'x-webhook-secret': secret },
        body: JSON.stringify(profileBody('rotation')),
      });
      expect([secret, response.status]).toEqual([secret, status]);
    }
  });

  it('admit a webhook without a secret in dev with WEBHOOK_AUTH=none, but never a wrong secret', async () => {
    const open = await app.replica({ WEBHOOK_AUTH: 'none' });
    const post = (headers: Record<string, string>) =>
      fetch(`${open.url}/webhook/network`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify(profileBody('open')),
      });
    expect((await post({})).status).toBe(200);
    expect((await post({ 'x-webhook-secret': 'wrong' })).status).toBe(401);
  });
});
