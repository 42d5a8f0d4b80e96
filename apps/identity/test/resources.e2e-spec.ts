// Which client may ask for tokens of which resource, and what the consent page says about it.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Clients } from '../src/operators/clients.service.js';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorizationUrl,
  authorize,
  decodeJwt,
  exchangeCode,
  makePkce,
  obtainTokens,
  postForm,
  refresh,
  UserAgent,
  type FlowClient,
  type FlowOptions,
  type Page,
} from './user-agent.js';

const pipelines = 'urn:tradewind:pipelines';
const redirectUri = 'https://app.example.com/callback';

describe('resources', () => {
  let identity: Identity;
  let user: User;
  let clients: Clients;
  beforeAll(async () => {
    identity = await startIdentity({ PAR: 'on' });
    user = await identity.createUser();
    clients = identity.running.app.get(Clients, { strict: false });
  });
  afterAll(() => identity.close());

  const register = async (more: object = {}): Promise<FlowClient & { record: Record<string, unknown> }> => {
    const response = await fetch(`${identity.issuer}/oauth/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token'],
        ...more,
      }),
    });
    const record = (await response.json()) as Record<string, unknown>;
    if (response.status !== 201) throw new Error(JSON.stringify(record));
    return { clientId: String(record['client_id']), clientSecret: String(record['client_secret']), record };
  };
  const flow = (client: FlowClient, more: Partial<FlowOptions> = {}): FlowOptions => ({
    client,
    email: user.email,
    password,
    scope: 'openid offline_access',
    parameters: { resource: pipelines },
    ...more,
  });
  const asked = async (client: FlowClient, parameters: Record<string, string>): Promise<Page> => {
    const agent = new UserAgent(identity.issuer);
    return agent.visit(authorizationUrl(identity.issuer, { client, scope: 'openid', parameters }, makePkce()));
  };
  const errorOf = (page: Page) => new URL(page.headers.get('location') ?? 'x:').searchParams.get('error');
  const consentOf = async (client: FlowClient, parameters: Record<string, string>, headers = {}): Promise<Page> => {
    const agent = new UserAgent(identity.issuer);
    const url = authorizationUrl(identity.issuer, { client, scope: 'openid email', parameters }, makePkce());
    const login = await agent.visit(url, { headers });
    return agent.submit(login, 'submit', { email: user.email, password });
  };

  it('a client gets a token for a resource only once an operator allowed it, however the client was made', async () => {
    for (const client of [await register(), await identity.createClient()]) {
      for (const resource of [pipelines, 'urn:tradewind:data', 'urn:tradewind:identity']) {
        expect(errorOf(await asked(client, { resource }))).toBe('invalid_target');
      }
      // Every client may use the issuer itself as resource.
      const own = await obtainTokens(identity.issuer, flow(client, { parameters: { resource: identity.issuer } }));
      expect(decodeJwt(own.access_token).payload['aud']).toBe(identity.issuer);
      // Nor indirectly, with the issuer in the authorization request and the resource in the token request.
      const { code, pkce } = await authorize(identity.issuer, flow(client, { parameters: {} }));
      const detour = await postForm(`${identity.issuer}/oauth/token`, {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        client_id: client.clientId,
        client_secret: client.clientSecret,
        code_verifier: pkce.verifier,
        resource: pipelines,
      });
      expect([detour.status, detour.body.error]).toEqual([400, 'invalid_target']);

      await clients.allowResource(client.clientId, pipelines);
      const tokens = await obtainTokens(identity.issuer, flow(client));
      expect(decodeJwt(tokens.access_token).payload['aud']).toBe(pipelines);
      expect(errorOf(await asked(client, { resource: 'urn:tradewind:data' }))).toBe('invalid_target');
    }
  });

  it('a pushed request follows the same rule', async () => {
    const client = await identity.createClient();
    const pushed = () =>
      postForm(`${identity.issuer}/oauth/par`, {
        response_type: 'code',
        client_id: client.clientId,
        client_secret: client.clientSecret,
        redirect_uri: redirectUri,
        scope: 'openid',
        code_challenge: makePkce().challenge,
        code_challenge_method: 'S256',
        resource: pipelines,
      });
    expect((await pushed()).body.error).toBe('invalid_target');
    await clients.allowResource(client.clientId, pipelines);
    expect((await pushed()).status).toBe(201);
  });

  it('a withdrawn permission ends at the code exchange and at the next refresh', async () => {
    const client = await identity.createClient({ resources: [pipelines] });
    const tokens = await obtainTokens(identity.issuer, flow(client));
    const renewed = await refresh(identity.issuer, client, tokens.refresh_token);
    expect(renewed.status).toBe(200);
    const pending = await authorize(identity.issuer, flow(client));

    await clients.disallowResource(client.clientId, pipelines);
    const exchanged = await exchangeCode(identity.issuer, client, pending.code, pending.pkce);
    expect([exchanged.status, exchanged.body.error]).toEqual([400, 'invalid_target']);
    const refused = await refresh(identity.issuer, client, renewed.body.refresh_token);
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_target']);
  });

  it('a request that is refused for its resource uses up neither the code nor the refresh token', async () => {
    const client = await identity.createClient();
    const { code, pkce } = await authorize(identity.issuer, flow(client, { parameters: {} }));
    const credentials = { client_id: client.clientId, client_secret: client.clientSecret };
    const tokenRequest = { ...credentials, redirect_uri: redirectUri, code_verifier: pkce.verifier };
    const exchange = { ...tokenRequest, grant_type: 'authorization_code', code };
    const token = `${identity.issuer}/oauth/token`;
    for (const resource of [pipelines, 'urn:unknown']) {
      const refused = await postForm(token, { ...exchange, resource });
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_target']);
    }
    const tokens = await postForm(token, exchange);
    expect(tokens.status).toBe(200);

    const renewal = { ...credentials, grant_type: 'refresh_token', refresh_token: String(tokens.body.refresh_token) };
    for (const resource of [pipelines, 'urn:unknown']) {
      const refused = await postForm(token, { ...renewal, resource });
      expect([refused.status, refused.body.error]).toEqual([400, 'invalid_target']);
    }
    const renewed = await postForm(token, renewal);
    expect(renewed.status).toBe(200);
    // Neither can be used a second time.
    expect((await postForm(token, { ...renewal, resource: pipelines })).body.error).toBe('invalid_grant');
    expect((await refresh(identity.issuer, client, String(renewed.body.refresh_token))).status).toBe(400);
  });

  it('a client cannot grant itself a resource or an origin', async () => {
    const names = { resources: [pipelines], allowed_resources: [pipelines], origin: 'operator' };
    const { record, ...client } = await register(names);
    expect(errorOf(await asked(client, { resource: pipelines }))).toBe('invalid_target');
    const put = await fetch(String(record['registration_client_uri']), {
      method: 'PUT',
      headers: {
        authorization: `Bearer ${String(record['registration_access_token'])}`,
        'content-type': 'application/json',
      },
      body: JSON.stringify({ client_id: client.clientId, redirect_uris: [redirectUri], ...names }),
    });
    expect(put.status).toBe(200);
    expect(errorOf(await asked(client, { resource: pipelines }))).toBe('invalid_target');
    expect((await consentOf(client, {})).body).toContain('Not verified');
    expect(await clients.find(client.clientId)).toMatchObject({ origin: 'registration', resources: [] });
    // What an operator allowed survives an update by the client.
    await clients.allowResource(client.clientId, pipelines);
    const { registration_access_token: token } = (await put.json()) as Record<string, string>;
    await fetch(String(record['registration_client_uri']), {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ client_id: client.clientId, redirect_uris: [redirectUri], client_name: 'Two' }),
    });
    expect(await clients.find(client.clientId)).toMatchObject({
      metadata: { client_name: 'Two' },
      origin: 'registration',
      resources: [pipelines],
    });
  });

  it.each([
    ['en', 'Run data collection', 'Not verified'],
    ['de', 'Datenerfassung steuern', 'Nicht geprüft'],
    ['fr', 'Piloter la collecte de données', 'Non vérifiée'],
    ['es', 'Dirigir la recogida de datos', 'No verificada'],
  ])('consent in %s names the resource and says that nobody verified the client', async (locale, words, unverified) => {
    const client = await register();
    const parameters = { ui_locales: locale, resource: pipelines };
    await clients.allowResource(client.clientId, pipelines);
    const page = await consentOf(client, parameters);
    expect(page.body).toContain(words);
    expect(page.body).toContain(unverified);
    const known = await consentOf(await identity.createClient({ resources: [pipelines] }), parameters);
    expect(known.body).toContain(words);
    expect(known.body).not.toContain(unverified);
    expect((await consentOf(client, { ui_locales: locale })).body).not.toContain(words);
  });

  it('consent shows the policy and the terms as links, if they are https, and no picture', async () => {
    const client = await register({
      policy_uri: 'https://app.example.com/privacy?a=1&b=2',
      tos_uri: 'https://app.example.com/terms',
      logo_uri: 'https://app.example.com/logo.png',
    });
    const { body } = await consentOf(client, {});
    expect(body).toContain(
      '<a href="https://app.example.com/privacy?a=1&#38;b=2" target="_blank" rel="noopener noreferrer">',
    );
    expect(body).toContain('<a href="https://app.example.com/terms" target="_blank" rel="noopener noreferrer">');
    expect(body).not.toContain('logo.png');
    const plain = await register({ policy_uri: 'http://app.example.com/privacy' });
    expect((await consentOf(plain, {})).body).not.toContain('<a href');
  });

  it('consent shows no scope that is not granted', async () => {
    const agent = new UserAgent(identity.issuer);
    const url = authorizationUrl(
      identity.issuer,
      { client: await register(), scope: 'openid nothing-else-is-shared' },
      makePkce(),
    );
    const page = await agent.submit(await agent.visit(url), 'submit', { email: user.email, password });
    expect(page.body).toContain('Know who you are');
    expect(page.body).not.toContain('nothing-else');
  });
});
