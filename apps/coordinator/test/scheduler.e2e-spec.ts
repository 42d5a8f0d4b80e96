// Cloud Scheduler calls POST /run with a Google-signed OIDC token. Here the keys are our own, published on loopback.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Warehouse } from '@tradewind/cloud-ports';
import { startService, type RunningService } from '@tradewind/service-kit';
import { startFakeBigQuery, startFakeGoogleKeys, type FakeBigQuery, type FakeGoogleKeys } from '@tradewind/testkit';
import { AppConfig } from '../src/app.config.js';
import { service } from '../src/service.js';
import { eventually, serviceToken, startApp, type TestApp } from './coordinator-app.js';

jest.setTimeout(120_000);

const audience = 'https://coordinator.example.com/run';
const email = 'scheduler@example.iam.gserviceaccount.com';
const now = () => Math.floor(Date.now() / 1000);

let embedded: TestApp;
let bigQuery: FakeBigQuery;
let keys: FakeGoogleKeys;
let strangers: FakeGoogleKeys;
/** Replaces identity's keys, none of which signed the tokens sent here. */
let identity: Server;
let google: RunningService<AppConfig>;
let env: Record<string, string>;

beforeAll(async () => {
  embedded = await startApp();
  bigQuery = await startFakeBigQuery({ databaseUrl: embedded.databaseUrl });
  [keys, strangers] = await Promise.all([startFakeGoogleKeys(), startFakeGoogleKeys()]);
  identity = createServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"keys":[]}'),
  );
  await new Promise<void>((resolve) => identity.listen(0, '127.0.0.1', resolve));
  env = {
    ...embedded.env,
    IDENTITY_URL: `http://127.0.0.1:${(identity.address() as AddressInfo).port}`,
    CLOUD: 'google',
    GOOGLE_CLOUD_PROJECT: 'test',
    BIGQUERY_API_ENDPOINT: bigQuery.url,
    // Nobody is selected here, so nothing is published.
    PUBSUB_API_ENDPOINT: '127.0.0.1:9',
    SCHEDULER_AUDIENCE: audience,
    SCHEDULER_SERVICE_ACCOUNT: email,
    GOOGLE_SIGNING_KEYS_URL: keys.certsUrl,
    RESUME_INTERVAL_MS: '600000',
  };
  google = await startService(service, { env });
  await google.app.get(Warehouse).migrate();
});
afterAll(async () => {
  await google.close();
  await Promise.all([bigQuery.close(), keys.close(), strangers.close()]);
  identity.close();
  await embedded.close();
});

const run = async (token: string, url = google.url, body = '{}') => {
  const response = await fetch(`${url}/run`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${token}` },
    body,
  });
  return { status: response.status, body: (await response.json()) as Record<string, unknown> };
};

describe('POST /run by the scheduler', () => {
  it('may start the run, but only callers may read its progress', async () => {
    const token = keys.token({ aud: audience, email });
    const started = await run(token);
    expect(started).toMatchObject({ status: 202, body: { outcome: 'started', run_id: expect.any(String) } });
    const progress = (authorization: string) =>
      fetch(`${google.url}/runs/${String(started.body['run_id'])}`, { headers: { authorization } });
    await eventually(async () => {
      const answer = await progress(`Bearer ${serviceToken}`);
      expect(await answer.json()).toMatchObject({ status: 'completed', selected: 0 });
    }, 60_000);
    expect((await progress(`Bearer ${token}`)).status).toBe(401);
  });

  it('may start a month, but never publish one again', async () => {
    const answer = await run(keys.token({ aud: audience, email }), google.url, '{"force": true}');
    expect(answer).toMatchObject({ status: 403, body: { message: expect.stringContaining('ADMIN') } });
  });

  it.each<[string, () => string]>([
    ['another audience', () => keys.token({ aud: 'https://priority-api.example.com/batch-trigger/', email })],
    ['no audience', () => keys.token({ email })],
    ['another account', () => keys.token({ aud: audience, email: 'push@example.iam.gserviceaccount.com' })],
    ['no account', () => keys.token({ aud: audience })],
    ['an address that is not verified', () => keys.token({ aud: audience, email, email_verified: false })],
    ['another issuer', () => keys.token({ aud: audience, email, iss: 'https://issuer.example.com' })],
    ['an expired token', () => keys.token({ aud: audience, email, iat: now() - 7200, exp: now() - 3600 })],
    ['a token signed by a stranger', () => strangers.token({ aud: audience, email })],
  ])('is refused with %s', async (_what, token) => {
    expect(await run(token())).toMatchObject({ status: 401, body: { error: 'Unauthorized', statusCode: 401 } });
  });

  it("is 503 while Google's keys cannot be read, so that the scheduler tries again; callers are not affected", async () => {
    strangers.failWith = 503;
    const cut = await startService(service, { env: { ...env, GOOGLE_SIGNING_KEYS_URL: strangers.certsUrl } });
    try {
      expect((await run(strangers.token({ aud: audience, email }), cut.url)).status).toBe(503);
      expect((await run(serviceToken, cut.url)).status).toBe(202);
    } finally {
      await cut.close();
    }
  });

  it('is refused when no audience is set', async () => {
    const unset = await startService(service, { env: { ...env, SCHEDULER_AUDIENCE: '' } });
    try {
      const token = keys.token({ aud: audience, email });
      expect((await run(token, unset.url)).status).toBe(401);
    } finally {
      await unset.close();
    }
  });
});

describe('GOOGLE_SIGNING_KEYS_URL', () => {
  it('is refused in production', () => {
    expect(() => new AppConfig({ ...env, ENVIRONMENT: 'production' })).toThrow(
      /GOOGLE_SIGNING_KEYS_URL +must not be set in production/,
    );
  });
});
