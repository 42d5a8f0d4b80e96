// Client libraries that others wrote, against the service as it is.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { AuthorizationCode } from 'simple-oauth2';
import * as oauth from 'oauth4webapi';
import * as openid from 'openid-client';
import { Clients } from '../src/operators/clients.service.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { makePkce, UserAgent } from './user-agent.js';

const redirectUri = 'https://app.example.com/callback';

describe('real clients', () => {
  let identity: Identity;
  let email: string;

  beforeAll(async () => {
    identity = await startIdentity({ DPOP: 'true', PAR: 'on' });
    email = (await identity.createUser()).email;
  });
  afterAll(async () => {
    await identity.close();
  });

  const clients = () => identity.running.app.get(Clients, { strict: false });

  /** The user at the browser: signs in, consents, and returns with the redirect. */
  async function approve(url: URL | string, agent = new UserAgent(identity.issuer)): Promise<URL> {
    let page = await agent.visit(String(url));
    if (page.body.includes('/submit"')) page = await agent.submit(page, 'submit', { email, password });
    if (page.body.includes('/confirm"')) page = await agent.submit(page, 'confirm');
    return new URL(page.headers.get('location') as string);
  }

  it('openid-client: registration, code with PKCE and nonce, userinfo, refresh, introspection, revocation', async () => {
    for (const method of ['client_secret_post', 'client_secret_basic']) {
      const config = await openid.dynamicClientRegistration(
        new URL(identity.issuer),
        {
          redirect_uris: [redirectUri],
          grant_types: ['authorization_code', 'refresh_token'],
          token_endpoint_auth_method: method,
        },
        undefined,
        { execute: [openid.allowInsecureRequests] },
      );
      const codeVerifier = openid.randomPKCECodeVerifier();
      const [state, nonce] = [openid.randomState(), openid.randomNonce()];
      const url = openid.buildAuthorizationUrl(config, {
        redirect_uri: redirectUri,
        scope: 'openid profile email offline_access',
        code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: 'S256',
        state,
        nonce,
      });
      const tokens = await openid.authorizationCodeGrant(config, await approve(url), {
        pkceCodeVerifier: codeVerifier,
        expectedState: state,
        expectedNonce: nonce,
        idTokenExpected: true,
      });
      const subject = tokens.claims()?.sub as string;
      expect(await openid.fetchUserInfo(config, tokens.access_token, subject)).toMatchObject({
        email,
        userRole: 'USER',
      });
      const refreshed = await openid.refreshTokenGrant(config, tokens.refresh_token as string);
      expect(refreshed.refresh_token).not.toBe(tokens.refresh_token);
      expect(await openid.tokenIntrospection(config, refreshed.access_token)).toMatchObject({
        active: true,
        username: email,
      });
      await openid.tokenRevocation(config, refreshed.access_token);
      expect(await openid.tokenIntrospection(config, refreshed.access_token)).toEqual({ active: false });
    }
  });

  it('simple-oauth2: code, refresh, and revocation of both tokens', async () => {
    const { clientId, clientSecret } = await identity.createClient();
    const flow = new AuthorizationCode({
      client: { id: clientId, secret: clientSecret },
      auth: {
        tokenHost: identity.issuer,
        tokenPath: '/oauth/token',
        authorizePath: '/oauth/auth',
        revokePath: '/oauth/token/revocation',
      },
      options: { authorizationMethod: 'body' },
    });
    const pkce = makePkce();
    // It does not know PKCE but passes on what it is given.
    const url = flow.authorizeURL({
      redirect_uri: redirectUri,
      scope: 'openid offline_access',
      state: 's',
      code_challenge: pkce.challenge,
      code_challenge_method: 'S256',
    } as Parameters<typeof flow.authorizeURL>[0]);
    const code = (await approve(url)).searchParams.get('code') as string;
    const token = await flow.getToken({
      code,
      redirect_uri: redirectUri,
      code_verifier: pkce.verifier,
    } as Parameters<typeof flow.getToken>[0]);
    const renewed = await token.refresh();
    await renewed.revokeAll();
    await expect(renewed.refresh()).rejects.toThrow();
  });

  it('openid-client: pushed authorization request', async () => {
    const client = await identity.createClient();
    const config = await openid.discovery(new URL(identity.issuer), client.clientId, client.clientSecret, undefined, {
      execute: [openid.allowInsecureRequests],
    });
    const codeVerifier = openid.randomPKCECodeVerifier();
    const url = await openid.buildAuthorizationUrlWithPAR(config, {
      redirect_uri: redirectUri,
      scope: 'openid email offline_access',
      code_challenge: await openid.calculatePKCECodeChallenge(codeVerifier),
      code_challenge_method: 'S256',
      state: 'pushed',
    });
    expect([...url.searchParams.keys()].sort()).toEqual(['client_id', 'request_uri']);
    const agent = new UserAgent(identity.issuer);
    const tokens = await openid.authorizationCodeGrant(config, await approve(url, agent), {
      pkceCodeVerifier: codeVerifier,
      expectedState: 'pushed',
    });
    expect(tokens.access_token).toBeTruthy();
    // As without PAR, asking for the scope is enough.
    expect(tokens.refresh_token).toBeTruthy();
    // A pushed request is valid once.
    const again = await agent.visit(url.href);
    expect(again.headers.get('location') ?? again.body).toContain('invalid_request_uri');
  });

  it('oauth4webapi: public client, resource indicator and RFC 9068 validation by a resource server', async () => {
    const issuer = new URL(identity.issuer);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(
      issuer,
      await oauth.discoveryRequest(issuer, { algorithm: 'oauth2', ...insecure }),
    );
    const protectedResource = await oauth.processResourceDiscoveryResponse(
      issuer,
      await oauth.resourceDiscoveryRequest(issuer, insecure),
    );
    expect(protectedResource).toMatchObject({ resource: identity.issuer, authorization_servers: [identity.issuer] });
    const registration = await oauth.processDynamicClientRegistrationResponse(
      await oauth.dynamicClientRegistrationRequest(
        server,
        {
          redirect_uris: [redirectUri],
          token_endpoint_auth_method: 'none',
          grant_types: ['authorization_code', 'refresh_token'],
        },
        insecure,
      ),
    );
    const client: oauth.Client = { client_id: registration.client_id };
    await clients().allowResource(client.client_id, 'urn:tradewind:pipelines');
    const verifier = oauth.generateRandomCodeVerifier();
    const url = new URL(server.authorization_endpoint as string);
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'email offline_access',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
      resource: 'urn:tradewind:pipelines',
    }).toString();
    const parameters = oauth.validateAuthResponse(server, client, await approve(url));
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.None(),
      parameters,
      redirectUri,
      verifier,
      insecure,
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
    expect(tokens.refresh_token).toBeTruthy();
    const atResourceServer = new Request('https://pipelines.example/run', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    const claims = await oauth.validateJwtAccessToken(server, atResourceServer, 'urn:tradewind:pipelines', insecure);
    expect(claims).toMatchObject({ client_id: client.client_id, scope: 'email offline_access', email });
    await expect(oauth.validateJwtAccessToken(server, atResourceServer, identity.issuer, insecure)).rejects.toThrow();
  });

  it('oauth4webapi: DPoP binds the token to a key', async () => {
    const issuer = new URL(identity.issuer);
    const insecure = { [oauth.allowInsecureRequests]: true };
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, insecure));
    const made = await identity.createClient();
    const client: oauth.Client = { client_id: made.clientId };
    const DPoP = oauth.DPoP(client, await oauth.generateKeyPair('ES256'));
    const verifier = oauth.generateRandomCodeVerifier();
    const url = new URL(server.authorization_endpoint as string);
    url.search = new URLSearchParams({
      client_id: client.client_id,
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: 'openid email',
      code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    }).toString();
    const parameters = oauth.validateAuthResponse(server, client, await approve(url));
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      oauth.ClientSecretPost(made.clientSecret),
      parameters,
      redirectUri,
      verifier,
      { DPoP, ...insecure },
    );
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response);
    expect(tokens.token_type).toBe('dpop');
    const userinfo = await oauth.userInfoRequest(server, client, tokens.access_token, { DPoP, ...insecure });
    expect(userinfo.status).toBe(200);
    const stolen = await fetch(`${identity.issuer}/oauth/me`, {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    });
    expect(stolen.status).toBe(401);
    // The same proof twice is refused.
    const recorded = await recordedProof(tokens.access_token, DPoP);
    const answers = await Promise.all([1, 2, 3].map(() => fetch(`${identity.issuer}/oauth/me`, { headers: recorded })));
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(answers.filter(({ status }) => status >= 500)).toHaveLength(0);
  });

  async function recordedProof(token: string, DPoP: oauth.DPoPHandle): Promise<Record<string, string>> {
    let headers: Record<string, string> = {};
    await oauth
      .protectedResourceRequest(token, 'GET', new URL(`${identity.issuer}/oauth/me`), undefined, undefined, {
        DPoP,
        [oauth.allowInsecureRequests]: true,
        [oauth.customFetch]: async (_url, init) => {
          headers = Object.fromEntries(new Headers(init.headers));
          return new Response('{}');
        },
      })
      .catch(() => undefined);
    return headers;
  }

  it('a client that knows no PKCE gets invalid_request at its redirect URI', async () => {
    const { clientId } = await identity.createClient();
    for (const pkce of [
      {},
      { code_challenge: 'x'.repeat(43), code_challenge_method: 'plain' },
      { code_challenge: 'x'.repeat(43) },
    ]) {
      const query = new URLSearchParams({
        response_type: 'code',
        client_id: clientId,
        redirect_uri: redirectUri,
        scope: 'openid',
        state: 's',
        ...(pkce as Record<string, string>),
      });
      const redirect = await new UserAgent(identity.issuer).visit(`/oauth/auth?${query.toString()}`);
      const { searchParams } = new URL(redirect.headers.get('location') as string);
      expect(Object.fromEntries(searchParams)).toMatchObject({
        error: 'invalid_request',
        state: 's',
        iss: identity.issuer,
      });
      expect(searchParams.has('code')).toBe(false);
    }
  });
});
