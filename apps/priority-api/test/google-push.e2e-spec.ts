// Pushes of Pub/Sub carry a Google-signed OIDC token. Here the keys are our own, published on loopback.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@tradewind/service-kit';
import { startFakeGoogleKeys, type FakeGoogleKeys } from '@tradewind/testkit';
import type { AppConfig } from '../src/app.config.js';
import { profiles, push, pushToken, startApp, type TestApp } from './priority-api-app.js';

const audience = 'https://priority-api.example.com/batch-trigger/';
const email = 'push@example.iam.gserviceaccount.com';
const now = () => Math.floor(Date.now() / 1000);

let app: TestApp;
let keys: FakeGoogleKeys;
let strangers: FakeGoogleKeys;
let google: RunningService<AppConfig>;

const settings = (certsUrl: string) => ({
  CLOUD: 'google',
  PUSH_AUDIENCE: audience,
  PUSH_SERVICE_ACCOUNT: email,
  GOOGLE_SIGNING_KEYS_URL: certsUrl,
});

beforeAll(async () => {
  app = await startApp();
  [keys, strangers] = await Promise.all([startFakeGoogleKeys(), startFakeGoogleKeys()]);
  google = await app.replica(settings(keys.certsUrl));
});
afterAll(async () => {
  await app.close();
  await Promise.all([keys.close(), strangers.close()]);
});

const pushWith = (token: string, url = google.url) =>
  push(url, { profiles: profiles(1) }, { authorization: `Bearer ${token}` });

describe('a push of Pub/Sub', () => {
  it('is accepted with the token of its service account', async () => {
    expect(await pushWith(keys.token({ aud: audience, email }))).toMatchObject({
      status: 200,
      body: { status: 'success', profiles_triggered: 1 },
    });
  });

  it.each<[string, () => string]>([
    ['another audience', () => keys.token({ aud: 'https://coordinator.example.com/run', email })],
    ['another account', () => keys.token({ aud: audience, email: 'scheduler@example.iam.gserviceaccount.com' })],
    ['an address that is not verified', () => keys.token({ aud: audience, email, email_verified: false })],
    ['another issuer', () => keys.token({ aud: audience, email, iss: 'https://issuer.example.com' })],
    ['an expired token', () => keys.token({ aud: audience, email, iat: now() - 7200, exp: now() - 3600 })],
    ['a token signed by a stranger', () => strangers.token({ aud: audience, email })],
    ['the token of the embedded queue', () => pushToken],
  ])('is refused with %s, and starts nothing', async (_what, token) => {
    const started = app.simulator.ledger({ operation: 'profile.start' }).length;
    expect(await pushWith(token())).toMatchObject({ status: 403, body: { error: 'Forbidden', statusCode: 403 } });
    expect(app.simulator.ledger({ operation: 'profile.start' })).toHaveLength(started);
  });

  it("is 503 while Google's keys cannot be read, so that Pub/Sub delivers again", async () => {
    strangers.failWith = 503;
    const cut = await app.replica(settings(strangers.certsUrl));
    expect((await pushWith(strangers.token({ aud: audience, email }), cut.url)).status).toBe(503);
  }, 60_000);
});
