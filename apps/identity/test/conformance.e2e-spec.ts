// The modules of the OpenID Foundation's basic, config and dynamic OP test plans that apply to this service. They are
// black-box tests under the suite's names, and docs/conformance.md maps every module.
import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createRemoteJWKSet, exportJWK, generateKeyPair, jwtVerify, SignJWT } from 'jose';
import type { User } from '../src/users/users.types.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorizationUrl,
  authorize,
  decodeJwt,
  exchangeCode,
  introspect,
  makePkce,
  obtainTokens,
  postForm,
  refresh,
  userinfo,
  UserAgent,
  type FlowClient,
  type Page,
} from './user-agent.js';

const redirectUri = 'https://app.example.com/callback';

describe('OpenID conformance modules', () => {
  let identity: Identity;
  let user: User;
  let client: FlowClient;
  beforeAll(async () => {
    identity = await startIdentity();
    user = await identity.createUser();
    client = await identity.createClient({ resources: ['urn:tradewind:pipelines'] });
  });
  afterAll(() => identity.close());

  const flow = (more: object = {}) => ({ client, email: user.email, password, ...more });
  const at = (path: string) => `${identity.issuer}${path}`;
  const json = async (path: string) => (await (await fetch(at(path))).json()) as Record<string, unknown>;
  const redirectOf = (page: Page) => Object.fromEntries(new URL(page.headers.get('location') as string).searchParams);
  const ask = (agent: UserAgent, parameters: Record<string, string>, scope = 'openid') =>
    agent.visit(authorizationUrl(identity.issuer, { client, scope, parameters }, makePkce()));

  it('oidcc-discovery-endpoint-verification: lists and addresses, whatever the Host header says', async () => {
    const { hostname, port } = new URL(identity.issuer);
    const document = await json('/.well-known/openid-configuration');
    expect(document).toMatchObject({
      issuer: identity.issuer,
      authorization_endpoint: at('/oauth/auth'),
      token_endpoint: at('/oauth/token'),
      userinfo_endpoint: at('/oauth/me'),
      jwks_uri: at('/oauth/jwks'),
      introspection_endpoint: at('/oauth/token/introspection'),
      revocation_endpoint: at('/oauth/token/revocation'),
      registration_endpoint: at('/oauth/reg'),
      authorization_response_iss_parameter_supported: true,
    });
    expect(document['scopes_supported']).toEqual(['openid', 'profile', 'email', 'offline_access']);
    expect(document['response_types_supported']).toEqual(['code']);
    expect(document['grant_types_supported']).toEqual(['authorization_code', 'refresh_token']);
    expect(document['code_challenge_methods_supported']).toEqual(['S256']);
    expect(document['claims_supported']).toEqual([
      'sub',
      'iss',
      'aud',
      'exp',
      'iat',
      'email',
      'email_verified',
      'name',
      'preferred_username',
    ]);
    const { request } = await import('node:http');
    for (const path of ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']) {
      const text = await new Promise<string>((resolve, reject) => {
        const headers = { host: 'evil.example', 'x-forwarded-host': 'evil.example', 'x-forwarded-proto': 'https' };
        request({ hostname, port, path, headers }, (response) => {
          let body = '';
          response.on('data', (chunk) => (body += String(chunk)));
          response.on('end', () => resolve(body));
        })
          .on('error', reject)
          .end();
      });
      expect(JSON.parse(text)).toEqual(document);
    }
  });

  it('rfc9728 metadata and the service listing', async () => {
    expect(await json('/.well-known/oauth-protected-resource')).toEqual({
      resource: identity.issuer,
      authorization_servers: [identity.issuer],
      jwks_uri: at('/oauth/jwks'),
      bearer_methods_supported: ['header'],
      scopes_supported: ['openid', 'profile', 'email', 'offline_access'],
      resource_name: 'Tradewind identity',
    });
    const listing = await json('/');
    expect(listing).toMatchObject({
      service: 'identity',
      environment: 'dev',
      issuer: identity.issuer,
      version: expect.any(String),
    });
    for (const url of Object.values(listing['endpoints'] as Record<string, string>))
      expect(url).toMatch(new RegExp(`^${identity.issuer}/`));
    for (const accept of ['*/*', 'application/json', 'application/json, text/html', '']) {
      const answer = await fetch(at('/'), { headers: { accept } });
      expect([accept, await answer.json()]).toEqual([accept, listing]);
    }
    for (const path of ['/', '/.well-known/oauth-protected-resource', '/.well-known/oauth-authorization-server']) {
      const { headers } = await fetch(at(path), { headers: { origin: 'https://inspector.example' } });
      expect(headers.get('access-control-allow-origin')).toMatch(/^(\*|https:\/\/inspector\.example)$/);
    }
    const { headers } = await fetch(at('/oauth/me'));
    expect(headers.get('www-authenticate')).toContain(
      `resource_metadata="${at('/.well-known/oauth-protected-resource')}"`,
    );
  });

  it('behind a proxy that ends TLS: addresses and cookies follow the issuer, whatever the request looks like', async () => {
    const replica = await identity.startReplica({ OAUTH_ISSUER: 'https://id.example.com' });
    const headers = { 'x-forwarded-proto': 'http', 'x-forwarded-host': 'evil.example' };
    const document = (await (
      await fetch(`${replica.url}/.well-known/openid-configuration`, { headers })
    ).json()) as Record<string, string>;
    expect(document['token_endpoint']).toBe('https://id.example.com/oauth/token');
    const url = authorizationUrl(replica.url, { client, scope: 'openid' }, makePkce());
    const answer = await fetch(url, { headers: { ...headers, accept: 'text/html' }, redirect: 'manual' });
    expect(answer.headers.get('location')).toMatch(/^(https:\/\/id\.example\.com)?\/login\//);
    const cookies = answer.headers.getSetCookie();
    expect(cookies.length).toBeGreaterThan(0);
    for (const cookie of cookies) expect(cookie).toMatch(/; secure/i);
  });

  it('with an https issuer every cookie has the prefix that keeps other hosts and plain http from setting it', async () => {
    const issuer = 'https://id.example.com';
    const replica = await identity.startReplica({ OAUTH_ISSUER: issuer });
    const agent = new UserAgent(issuer, replica.url);
    const { code, pkce } = await authorize(issuer, { ...flow(), agent });
    expect((await exchangeCode(replica.url, client, code, pkce)).status).toBe(200);
    const lines = agent.setCookies;
    const names = new Set(lines.map((line) => line.split('=', 1)[0]));
    expect([...names].filter((name) => !/^__(Host|Secure)-/.test(name as string))).toEqual([]);
    expect(names).toContain('__Host-session');
    for (const line of lines) {
      expect(line).toMatch(/; secure/i);
      expect(line).toMatch(/; httponly/i);
      expect(line).not.toMatch(/; domain=/i);
      if (line.startsWith('__Host-')) expect(line).toMatch(/; path=\/(;|$)/i);
    }
    // A session cookie that another host set under the old name is ignored.
    const tossed = await fetch(`${replica.url}/oauth/auth?prompt=none`, { headers: { cookie: '_session=x' } });
    expect(tossed.status).toBe(400);
  });

  it('code_challenge_method plain, and none with a challenge, are refused at the redirect URI', async () => {
    for (const code_challenge_method of ['plain', '']) {
      const page = await ask(new UserAgent(identity.issuer), { code_challenge_method });
      expect(redirectOf(page)).toMatchObject({
        error: 'invalid_request',
        state: 'state-1',
        iss: identity.issuer,
      });
    }
  });

  it('the key set holds public keys only', async () => {
    const { keys } = (await json('/oauth/jwks')) as { keys: Record<string, unknown>[] };
    expect(keys.length).toBeGreaterThanOrEqual(2);
    for (const key of keys) expect(Object.keys(key).sort()).toEqual(['alg', 'e', 'kid', 'kty', 'n', 'use']);
  });

  it('oidcc-server: the plain flow, the ID token signed by a published key', async () => {
    const tokens = await obtainTokens(identity.issuer, flow());
    const keys = createRemoteJWKSet(new URL(at('/oauth/jwks')));
    const { payload } = await jwtVerify(tokens.id_token, keys, { issuer: identity.issuer, audience: client.clientId });
    expect(payload).toMatchObject({
      sub: user.id,
      email: user.email,
      email_verified: true,
      name: 'Ada Lovelace',
      userRole: 'USER',
    });
    expect((payload.exp as number) - (payload.iat as number)).toBe(900);
  });

  it('oidcc-response-type-missing and other response types', async () => {
    for (const type of ['', 'token', 'id_token', 'code id_token']) {
      const page = await ask(new UserAgent(identity.issuer), { response_type: type });
      const error = page.headers.get('location') ?? page.body;
      expect(error).toMatch(/invalid_request|unsupported_response_type|unauthorized_client/);
      expect(error).not.toContain('code=');
    }
  });

  it('oidcc-userinfo-get, -post-header, -post-body; a query token is refused', async () => {
    const { access_token } = await obtainTokens(identity.issuer, flow());
    const url = at('/oauth/me');
    const answers = await Promise.all([
      userinfo(identity.issuer, access_token),
      fetch(url, { method: 'POST', headers: { authorization: `Bearer ${access_token}` } }),
      fetch(url, { method: 'POST', body: new URLSearchParams({ access_token }) }),
    ]);
    for (const answer of answers)
      expect([answer.status, await answer.json()]).toEqual([200, expect.objectContaining({ sub: user.id })]);
    expect((await fetch(`${url}?access_token=${access_token}`)).status).toBe(400);
    const missing = await fetch(url);
    expect(missing.status).toBe(401);
    expect(missing.headers.get('www-authenticate')).toContain(
      `resource_metadata="${at('/.well-known/oauth-protected-resource')}"`,
    );
  });

  it('oidcc-scope-email, -profile, -all: each scope releases its claims and no others', async () => {
    const claims = async (scope: string) => {
      const { access_token } = await obtainTokens(identity.issuer, flow({ scope }));
      return Object.keys((await (await userinfo(identity.issuer, access_token)).json()) as object).sort();
    };
    expect(await claims('openid')).toEqual(['sub']);
    expect(await claims('openid email')).toEqual(['email', 'email_verified', 'sub']);
    expect(await claims('openid profile')).toEqual([
      'family_name',
      'given_name',
      'name',
      'preferred_username',
      'sub',
      'userRole',
    ]);
    const plain = await obtainTokens(identity.issuer, flow({ scope: 'email' }));
    expect(plain).not.toHaveProperty('id_token');
    expect((await userinfo(identity.issuer, plain.access_token)).status).toBe(403);
  });

  it('oidcc-ensure-other-scope-order-succeeds and unknown scopes', async () => {
    const tokens = await obtainTokens(identity.issuer, flow({ scope: 'email openid unknown' }));
    expect(tokens.scope.split(' ').sort()).toEqual(['email', 'openid']);
  });

  it('oidcc-ensure-request-without-nonce-succeeds, -with-valid-nonce', async () => {
    const without = await obtainTokens(identity.issuer, flow());
    expect(decodeJwt(without.id_token).payload).not.toHaveProperty('nonce');
    const tokens = await obtainTokens(identity.issuer, flow({ parameters: { nonce: 'n-0S6_WzA2Mj' } }));
    expect(decodeJwt(tokens.id_token).payload['nonce']).toBe('n-0S6_WzA2Mj');
  });

  it('oidcc-prompt-none-not-logged-in, -prompt-none-logged-in', async () => {
    expect(redirectOf(await ask(new UserAgent(identity.issuer), { prompt: 'none' }))).toMatchObject({
      error: 'login_required',
      state: 'state-1',
    });
    const { agent } = await authorize(identity.issuer, flow({ scope: 'openid' }));
    expect(redirectOf(await ask(agent, { prompt: 'none' }))).toHaveProperty('code');
    expect(redirectOf(await ask(agent, { prompt: 'none' }, 'openid email'))).toMatchObject({
      error: 'consent_required',
    });
  });

  it('oidcc-prompt-login asks for the password again, prompt=consent for consent', async () => {
    const first = await authorize(identity.issuer, flow());
    const login = await ask(first.agent, { prompt: 'login' });
    expect(login.body).toContain('/submit"');
    const consent = await ask(first.agent, { prompt: 'consent' }, 'openid profile email');
    expect(consent.body).toContain('/confirm"');
    expect(redirectOf(await first.agent.submit(consent, 'confirm'))).toHaveProperty('code');
  });

  it('prompt=select_account shows who is signed in, and lets another sign in', async () => {
    const signedIn = await authorize(identity.issuer, flow());
    const page = await ask(signedIn.agent, { prompt: 'select_account' });
    expect(page.body).toContain(`Continue as ${user.email}`);
    expect(page.body).toContain('Not you?');
    const same = await signedIn.agent.submit(page, 'confirm');
    expect(redirectOf(same)).toHaveProperty('code');

    const other = await identity.createUser();
    const again = await ask(signedIn.agent, { prompt: 'select_account' });
    const wrong = await signedIn.agent.submit(again, 'submit', { email: other.email, password: 'wrong' });
    expect([wrong.status, wrong.body.includes(`Continue as ${user.email}`)]).toEqual([401, true]);
    const switching = await signedIn.agent.submit(wrong, 'submit', { email: other.email, password });
    expect(switching.body).toContain('Signing in as somebody else');

    // There is no account to choose: the plain form, and no second question after it.
    const agent = new UserAgent(identity.issuer);
    const plain = await ask(agent, { prompt: 'select_account' });
    expect(plain.body).not.toContain('Continue as');
    const consent = await agent.submit(plain, 'submit', { email: user.email, password });
    expect(redirectOf(await agent.submit(consent, 'confirm'))).toHaveProperty('code');

    const silent = await ask(signedIn.agent, { prompt: 'none select_account' });
    expect(redirectOf(silent)).toMatchObject({ error: 'invalid_request' });
  });

  it('oidcc-max-age-1, -max-age-10000, and auth_time', async () => {
    const first = await authorize(identity.issuer, flow());
    const recent = await authorize(identity.issuer, flow({ agent: first.agent, parameters: { max_age: '10000' } }));
    const { body } = await exchangeCode(identity.issuer, client, recent.code, recent.pkce);
    const authTime = decodeJwt(body.id_token).payload['auth_time'] as number;
    expect(Math.abs(Date.now() / 1000 - authTime)).toBeLessThan(60);
    await new Promise((resolve) => setTimeout(resolve, 2100));
    expect((await ask(first.agent, { max_age: '1' })).body).toContain('/submit"');
  });

  it('oidcc-id-token-hint: another user is asked to sign in, the same one goes on', async () => {
    const { agent, id_token } = await obtainTokens(identity.issuer, flow());
    expect(redirectOf(await ask(agent, { id_token_hint: id_token, prompt: 'none' }))).toHaveProperty('code');
    const other = await identity.createUser();
    const theirs = await obtainTokens(identity.issuer, { client, email: other.email, password });
    expect(redirectOf(await ask(agent, { id_token_hint: theirs.id_token, prompt: 'none' }))).toMatchObject({
      error: 'login_required',
    });
  });

  it('oidcc-display-*, -ui-locales, -claims-locales, -acr-values, -login-hint: accepted', async () => {
    for (const parameters of [
      { display: 'page' },
      { display: 'popup' },
      { ui_locales: 'se' },
      { claims_locales: 'se' },
      { acr_values: '1 2' },
      { login_hint: 'x@example.com' },
      { extra: 'foobar' },
    ]) {
      expect(
        redirectOf(
          await authorize(identity.issuer, flow({ parameters })).then(
            ({ redirect }) => ({ headers: new Headers({ location: redirect.href }) }) as Page,
          ),
        ),
      ).toHaveProperty('code');
    }
  });

  it('oidcc-request-uri-unsigned, -unsigned-request-object: refused as unsupported', async () => {
    const agent = new UserAgent(identity.issuer);
    expect(redirectOf(await ask(agent, { request: 'e30.e30.' }))).toMatchObject({ error: 'request_not_supported' });
    expect(redirectOf(await ask(agent, { request_uri: 'https://example.com/request.jwt' }))).toMatchObject({
      error: 'request_uri_not_supported',
    });
  });

  it('oidcc-ensure-registered-redirect-uri, -redirect-uri-query-*: no redirect to an address that is not registered', async () => {
    const withQuery = await identity.createClient({ redirectUris: [`${redirectUri}?fixed=1`] });
    const good = await authorize(
      identity.issuer,
      flow({ client: { ...withQuery, redirectUri: `${redirectUri}?fixed=1` } }),
    );
    expect(good.redirect.searchParams.get('fixed')).toBe('1');
    for (const uri of ['https://evil.example/callback', `${redirectUri}?fixed=2`, redirectUri]) {
      const page = await new UserAgent(identity.issuer).visit(
        authorizationUrl(identity.issuer, { client: { ...withQuery, redirectUri: uri } }, makePkce()),
      );
      expect([page.status, page.headers.get('location')]).toEqual([400, null]);
      expect(page.body).toContain('invalid_redirect_uri');
    }
  });

  it('oidcc-codereuse, -codereuse-30seconds: refused, and the tokens of the code end', async () => {
    const { code, pkce } = await authorize(identity.issuer, flow());
    const first = await exchangeCode(identity.issuer, client, code, pkce);
    expect((await exchangeCode(identity.issuer, client, code, pkce)).body.error).toBe('invalid_grant');
    expect((await userinfo(identity.issuer, first.body.access_token)).status).toBe(401);
  });

  it('a code is bound to client, redirect URI and verifier', async () => {
    const other = await identity.createClient();
    const { code, pkce } = await authorize(identity.issuer, flow());
    const attempts = [
      exchangeCode(identity.issuer, other, code, pkce),
      exchangeCode(identity.issuer, { ...client, redirectUri: `${redirectUri}/x` }, code, pkce),
      exchangeCode(identity.issuer, client, code, makePkce()),
      exchangeCode(identity.issuer, client, 'unknown', pkce),
    ];
    for (const attempt of attempts) expect((await attempt).body.error).toBe('invalid_grant');
    expect((await exchangeCode(identity.issuer, { ...client, clientSecret: 'wrong' }, code, pkce)).status).toBe(401);
    expect((await exchangeCode(identity.issuer, client, code, pkce)).status).toBe(200);
  });

  it('oidcc-server-client-secret-post, -basic, none and private_key_jwt', async () => {
    const run = async (given: FlowClient, extra: Record<string, string>, headers: Record<string, string> = {}) => {
      const { code, pkce } = await authorize(identity.issuer, flow({ client: given }));
      const fields = {
        grant_type: 'authorization_code',
        code,
        redirect_uri: redirectUri,
        code_verifier: pkce.verifier,
        ...extra,
      };
      return postForm(at('/oauth/token'), fields, headers);
    };
    const basic = await identity.createClient({ authMethod: 'client_secret_basic' });
    const authorization = `Basic ${Buffer.from(`${basic.clientId}:${basic.clientSecret}`).toString('base64')}`;
    expect((await run(basic, {}, { authorization })).status).toBe(200);
    // A secret may come in either way; a client that has a secret must send it.
    expect((await run(basic, { client_id: basic.clientId, client_secret: basic.clientSecret })).status).toBe(200);
    expect((await run(basic, { client_id: basic.clientId })).body.error).toBe('invalid_client');
    const open = await identity.createClient({ authMethod: 'none' });
    expect((await run(open, { client_id: open.clientId })).status).toBe(200);

    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const registered = (await (
      await fetch(at('/oauth/reg'), {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'private_key_jwt',
          jwks: { keys: [{ ...(await exportJWK(publicKey)), use: 'sig', alg: 'ES256' }] },
        }),
      })
    ).json()) as { client_id: string };
    const assertion = await new SignJWT({ jti: 'assertion-1' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(registered.client_id)
      .setSubject(registered.client_id)
      .setAudience(identity.issuer)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey);
    const fields = {
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
      client_id: registered.client_id,
    };
    const key = { clientId: registered.client_id, clientSecret: '' };
    expect((await run(key, fields)).status).toBe(200);
    const replayed = await run(key, fields);
    expect([replayed.status >= 400 && replayed.status < 500, replayed.body.access_token]).toEqual([true, undefined]);
  });

  it('oidcc-refresh-token: rotated, narrower scopes allowed, another client refused', async () => {
    const tokens = await obtainTokens(identity.issuer, flow({ scope: 'openid email offline_access' }));
    const other = await identity.createClient();
    expect((await refresh(identity.issuer, other, tokens.refresh_token)).body.error).toBe('invalid_grant');
    const narrower = await postForm(at('/oauth/token'), {
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token,
      scope: 'openid',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    });
    expect([narrower.status, narrower.body.scope]).toEqual([200, 'openid']);
    expect(decodeJwt(narrower.body.id_token).payload).toMatchObject({ sub: user.id, aud: client.clientId });
    const wider = await postForm(at('/oauth/token'), {
      grant_type: 'refresh_token',
      refresh_token: narrower.body.refresh_token,
      scope: 'openid profile',
      client_id: client.clientId,
      client_secret: client.clientSecret,
    });
    expect(wider.body.error).toBe('invalid_scope');
  });

  it('offline_access: a refresh token when asked for, consent remembered, none for clients without the grant', async () => {
    const first = await authorize(identity.issuer, flow({ scope: 'openid offline_access' }));
    expect((await exchangeCode(identity.issuer, client, first.code, first.pkce)).body).toHaveProperty('refresh_token');
    const again = redirectOf(await ask(first.agent, {}, 'openid offline_access'));
    expect(again).toHaveProperty('code');
    const twice = await authorize(identity.issuer, flow({ agent: first.agent, scope: 'openid offline_access' }));
    expect((await exchangeCode(identity.issuer, client, twice.code, twice.pkce)).body).toHaveProperty('refresh_token');
    // More scopes, another resource, or a request of the client for consent: the page is shown.
    expect((await ask(first.agent, {}, 'openid email offline_access')).body).toContain('Stay connected');
    expect((await ask(first.agent, { resource: 'urn:tradewind:pipelines' }, 'openid offline_access')).body).toContain(
      'Stay connected',
    );
    expect((await ask(first.agent, { prompt: 'consent' }, 'openid offline_access')).body).toContain('Stay connected');
    // A consent without this scope does not cover it.
    const once = await authorize(identity.issuer, flow({ scope: 'openid' }));
    expect((await ask(once.agent, {}, 'openid offline_access')).body).toContain('Stay connected');
    const without = await obtainTokens(identity.issuer, flow({ scope: 'openid' }));
    expect(without).not.toHaveProperty('refresh_token');
    const plain = await identity.createClient({ grantTypes: ['authorization_code'] });
    const tokens = await obtainTokens(identity.issuer, flow({ client: plain, scope: 'openid offline_access' }));
    expect(tokens).not.toHaveProperty('refresh_token');
    expect(tokens.scope).toBe('openid');
    // With prompt=none nobody can consent, so there is no refresh token, but no error either.
    const silent = await authorize(
      identity.issuer,
      flow({ agent: first.agent, scope: 'openid offline_access', parameters: { prompt: 'none' } }),
    );
    const { body } = await exchangeCode(identity.issuer, client, silent.code, silent.pkce);
    expect(body).toHaveProperty('access_token');
    expect(body).not.toHaveProperty('refresh_token');
    const fresh = await obtainTokens(
      identity.issuer,
      flow({ agent: first.agent, scope: 'openid offline_access', parameters: { prompt: 'login' } }),
    );
    expect(fresh).toHaveProperty('refresh_token');
  });

  it('an access token without offline_access ends with the browser session, one with it lives on', async () => {
    const { access_token } = await obtainTokens(identity.issuer, flow());
    const lasting = await obtainTokens(identity.issuer, flow({ scope: 'openid offline_access' }));
    const pgModule = await import('pg');
    const database = new pgModule.default.Client({ connectionString: identity.databaseUrl });
    await database.connect();
    expect((await userinfo(identity.issuer, access_token)).status).toBe(200);
    await database.query(`delete from identity.oidc_payload where model = 'Session'`);
    await database.end();
    expect((await userinfo(identity.issuer, access_token)).status).toBe(401);
    expect((await introspect(identity.issuer, client, access_token)).body).toEqual({ active: false });
    expect((await userinfo(identity.issuer, lasting.access_token)).status).toBe(200);
    expect((await refresh(identity.issuer, client, lasting.refresh_token)).status).toBe(200);
  });

  it('rfc8707: known resources become the audience, unknown ones are invalid_target', async () => {
    const tokens = await obtainTokens(identity.issuer, flow({ parameters: { resource: 'urn:tradewind:pipelines' } }));
    expect(decodeJwt(tokens.access_token).payload['aud']).toBe('urn:tradewind:pipelines');
    expect((await userinfo(identity.issuer, tokens.access_token)).status).toBe(200);
    const slash = await obtainTokens(identity.issuer, flow({ parameters: { resource: `${identity.issuer}/` } }));
    expect(decodeJwt(slash.access_token).payload['aud']).toBe(identity.issuer);
    for (const resource of ['https://unknown.example', 'not-a-uri', 'urn:tradewind:pipelines#x']) {
      expect(redirectOf(await ask(new UserAgent(identity.issuer), { resource }))).toMatchObject({
        error: 'invalid_target',
      });
    }
  });

  it('oidcc-ensure-post-request-succeeds: the authorization endpoint takes a form like a query', async () => {
    const url = new URL(authorizationUrl(identity.issuer, { client, scope: 'openid' }, makePkce()));
    const post = (body: string, headers: Record<string, string> = {}, agent = new UserAgent(identity.issuer)) =>
      agent.visit(at('/oauth/auth'), {
        method: 'POST',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body,
      });
    const query = url.search.slice(1);
    const agent = new UserAgent(identity.issuer);
    const login = await post(query, {}, agent);
    expect([login.status, login.body.includes('/submit"')]).toEqual([200, true]);
    const consent = await agent.submit(login, 'submit', { email: user.email, password });
    expect(redirectOf(await agent.submit(consent, 'confirm'))).toHaveProperty('code');
    // Signed in and consented: straight to the client, as with GET.
    expect(redirectOf(await post(query, {}, agent))).toHaveProperty('code');
    // Longer than an address may be.
    const long = `${query.replace('state-1', 's'.repeat(12_000))}`;
    expect((redirectOf(await post(long, {}, agent))['state'] ?? '').length).toBe(12_000);
    const offline = await post(query.replace('scope=openid', 'scope=openid+offline_access'), {}, agent);
    expect(offline.body).toContain('Stay connected');

    // A browser sends no SameSite=Lax cookie with a form of another site: the request comes once more, from here.
    const crossSite = { 'sec-fetch-site': 'cross-site', accept: 'text/html' };
    const bare = await fetch(at('/oauth/auth'), {
      method: 'POST',
      redirect: 'manual',
      headers: crossSite,
      body: new URLSearchParams(query),
    });
    expect([bare.status, bare.headers.get('location')]).toEqual([303, url.href]);
    expect(bare.headers.getSetCookie()).toEqual([]);
    const forward = await post(long, crossSite);
    expect(forward.body).toContain(`<form method="post" action="${at('/oauth/auth')}">`);
    expect(forward.body).toContain(`name="state" value="${'s'.repeat(12_000)}"`);
    expect(forward.headers.get('content-security-policy')).toContain("form-action 'self' https://app.example.com");

    for (const [type, body] of [
      ['application/json', JSON.stringify({ client_id: client.clientId })],
      ['text/plain', query],
    ] as const) {
      expect((await post(body, { 'content-type': type })).status).toBe(400);
    }
    expect((await post('')).status).toBe(400);
    expect((await post(`${query}&state=twice`)).headers.get('location') ?? '').not.toContain('code=');
  });

  it('ID tokens of the token endpoint carry at_hash of the access token beside them', async () => {
    const atHash = (token: string) => createHash('sha256').update(token).digest().subarray(0, 16).toString('base64url');
    const tokens = await obtainTokens(identity.issuer, flow({ scope: 'openid email offline_access' }));
    expect(decodeJwt(tokens.id_token).payload['at_hash']).toBe(atHash(tokens.access_token));
    const { body } = await refresh(identity.issuer, client, tokens.refresh_token);
    expect(decodeJwt(body.id_token).payload['at_hash']).toBe(atHash(body.access_token));
    expect(decodeJwt(body.id_token).payload['at_hash']).not.toBe(atHash(tokens.access_token));
    const info = (await (await userinfo(identity.issuer, body.access_token)).json()) as Record<string, unknown>;
    expect(info).not.toHaveProperty('at_hash');
  });

  it('rfc7662: introspection of a refresh token has every member that one of an access token has', async () => {
    const tokens = await obtainTokens(
      identity.issuer,
      flow({ scope: 'openid offline_access', parameters: { resource: 'urn:tradewind:pipelines' } }),
    );
    const { body: access } = await introspect(identity.issuer, client, tokens.access_token);
    const { body } = await introspect(identity.issuer, client, tokens.refresh_token);
    expect(Object.keys(body).sort()).toEqual(Object.keys(access).sort());
    expect(body).toEqual({
      active: true,
      scope: 'openid offline_access',
      client_id: client.clientId,
      username: user.email,
      token_type: 'Bearer',
      exp: expect.any(Number),
      iat: expect.any(Number),
      sub: user.id,
      aud: 'urn:tradewind:pipelines',
      iss: identity.issuer,
      jti: expect.any(String),
    });
    // The id alone grants no access.
    expect(body['jti']).not.toBe(tokens.refresh_token);
    expect((await refresh(identity.issuer, client, String(body['jti']))).body.error).toBe('invalid_grant');
  });

  it('rfc7009: revocation answers 200 without a body, also for an unknown token', async () => {
    const { access_token } = await obtainTokens(identity.issuer, flow());
    for (const token of [access_token, access_token, 'unknown']) {
      const response = await fetch(at('/oauth/token/revocation'), {
        method: 'POST',
        body: new URLSearchParams({ token, client_id: client.clientId, client_secret: client.clientSecret }),
      });
      expect([response.status, response.headers.get('content-length'), await response.text()]).toEqual([200, '0', '']);
      expect(response.headers.get('content-type')).toMatch(/^application\/json/);
    }
  });

  it.each([
    '/',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/oauth/jwks',
  ])('browsers of any origin may read %s', async (path) => {
    const origin = 'https://inspector.example';
    const preflight = await fetch(at(path), {
      method: 'OPTIONS',
      headers: {
        origin,
        'access-control-request-method': 'GET',
        'access-control-request-headers': 'mcp-protocol-version',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toMatch(/^(\*|https:\/\/inspector\.example)$/);
    expect(preflight.headers.get('access-control-allow-methods')).toContain('GET');
    expect(preflight.headers.get('access-control-allow-headers')).toBe('mcp-protocol-version');
    expect((await fetch(at(path), { method: 'OPTIONS' })).status).toBe(204);
    const read = await fetch(at(path), { headers: { origin } });
    expect(read.headers.get('access-control-allow-origin')).toMatch(/^(\*|https:\/\/inspector\.example)$/);
  });

  it('duplicated parameters are refused', async () => {
    const page = await new UserAgent(identity.issuer).visit(
      `${authorizationUrl(identity.issuer, { client }, makePkce())}&scope=openid`,
    );
    expect(page.headers.get('location') ?? page.body).toContain('invalid_request');
    const twice = await fetch(at('/oauth/token'), {
      method: 'POST',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: `grant_type=authorization_code&grant_type=authorization_code&client_id=${client.clientId}&client_secret=${client.clientSecret}`,
    });
    expect([twice.status, await twice.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_request' })]);
  });

  it('browsers of a registered origin may read tokens, others may not', async () => {
    const attempt = (origin: string) =>
      postForm(
        at('/oauth/token'),
        {
          grant_type: 'refresh_token',
          refresh_token: 'x',
          client_id: client.clientId,
          client_secret: client.clientSecret,
        },
        { origin },
      );
    const own = await attempt('https://app.example.com');
    expect([own.headers.get('access-control-allow-origin'), own.body.error]).toEqual([
      'https://app.example.com',
      'invalid_grant',
    ]);
    const foreign = await attempt('https://evil.example');
    expect([foreign.headers.get('access-control-allow-origin'), foreign.body.error]).toEqual([null, 'invalid_request']);
  });
});
