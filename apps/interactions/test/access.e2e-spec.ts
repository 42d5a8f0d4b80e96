// Who may do what, by enumeration: every operation against every kind of caller. A new operation that is missing from
// the table fails the build.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { InteractionsWorld, person } from './interactions-app.js';
import { PretendIssuer } from './pretend-issuer.js';

const body = { user_company_id: 'acme', targets: [person('access')] };
const webhook = { eventType: 'ACTOR.RUN.SUCCEEDED', resource: { id: 'unknown' } };

/** Operation -> how it is called, and the status for callers who may. */
const operations: Record<string, { body?: object; path?: string; allowed: number; by: 'caller' | 'secret' }> = {
  'post /scraper/network/interactions': { body, allowed: 200, by: 'caller' },
  'post /scraper/network/abort-run': { body, allowed: 200, by: 'caller' },
  'get /scraper/network/interactions': { allowed: 200, by: 'caller' },
  'get /scraper/network/interactions/{run_id}': {
    path: '/scraper/network/interactions/unknown',
    allowed: 404,
    by: 'caller',
  },
  'post /scraper/network/webhook': { body: webhook, allowed: 404, by: 'secret' },
};

const serviceToken = 'service-token-of-the-test';
const secretHeader = { 'x-webhook-secret': 'dev-only-webhook-secret' };

describe('access', () => {
  let world: InteractionsWorld;
  let issuer: PretendIssuer;

  beforeAll(async () => {
    issuer = await PretendIssuer.start();
    world = await InteractionsWorld.start({
      settings: {
        CALLER_AUTH: 'required',
        OAUTH_ISSUER: issuer.url,
        SERVICE_TOKEN_SHA256S: `${'0'.repeat(64)},${createHash('sha256').update(serviceToken).digest('hex')}`,
      },
    });
  });
  afterAll(async () => {
    await world.stop();
    await issuer.close();
  });

  const bearer = (token: string) => ({ authorization: `Bearer ${token}` });
  /** Caller -> headers, and what an operation for callers answers: allowed or a status. */
  const callers: Record<string, [() => Record<string, string>, 'allowed' | 401 | 403]> = {
    nobody: [() => ({}), 401],
    'an analyst with an access token': [() => bearer(issuer.accessToken()), 'allowed'],
    'an admin with a direct-login token': [() => bearer(issuer.directToken()), 'allowed'],
    'a plain user': [() => bearer(issuer.accessToken({ userRole: 'USER' })), 403],
    'a plain user with a direct-login token': [() => bearer(issuer.directToken({ userRole: 'USER' })), 403],
    'a token for another resource': [() => bearer(issuer.accessToken({ aud: 'urn:tradewind:data' })), 401],
    'an expired token': [() => bearer(issuer.accessToken({ exp: 1_700_000_000 })), 401],
    'a token of another issuer': [() => bearer(issuer.accessToken({ iss: 'https://elsewhere.example' })), 401],
    'a tampered token': [() => bearer(`${issuer.accessToken().slice(0, -8)}AAAAAAAA`), 401],
    'a service token': [() => bearer(serviceToken), 'allowed'],
    'an unknown service token': [() => bearer('another-token'), 401],
    'the secret of the webhook': [() => secretHeader, 401],
  };

  const call = async (operation: string, headers: Record<string, string>) => {
    const [method, path] = operation.split(' ') as [string, string];
    const { body: sent, path: address = path } = operations[operation]!;
    const response = await fetch(`${world.url}${address}`, {
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

  describe.each(Object.entries(operations).filter(([, { by }]) => by === 'caller'))('%s', (operation, { allowed }) => {
    it.each(Object.entries(callers))('%s', async (_caller, [headers, expected]) => {
      expect(await call(operation, headers())).toBe(expected === 'allowed' ? allowed : expected);
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
});
