// Signing out at the request of a client (RP-Initiated Logout 1.0), and what others hear of it (Back-Channel Logout).
import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import express from 'express';
import { auth } from 'express-openid-connect';
import { createRemoteJWKSet, jwtVerify } from 'jose';
import { testPool } from '@tradewind/testkit';
import type pg from 'pg';
import * as openid from 'openid-client';
import { Users } from '../src/operators/users.service.js';
import { LogoutCalls } from '../src/oidc/logout-calls.js';
import { inUnitOfWork, UnitOfWork } from '../src/unit-of-work/unit-of-work.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorizationUrl,
  decodeJwt,
  defaultRedirectUri,
  makePkce,
  obtainTokens,
  refresh,
  userinfo,
  UserAgent,
  type FlowClient,
  type Page,
} from './user-agent.js';

const afterwards = 'https://app.example.com/signed-out';

describe('signing out', () => {
  let identity: Identity;
  let email: string;
  let userId: string;
  /** A client that is told of the end of a session: what it received, and how it answers. */
  let told: { path: string; form: URLSearchParams }[] = [];
  let answer: (request: IncomingMessage, response: ServerResponse) => void = (_request, response) => response.end();
  let listener: Server;
  let listenerUrl: string;
  let sql: pg.Pool;

  beforeAll(async () => {
    identity = await startIdentity();
    sql = testPool({ connectionString: identity.databaseUrl, options: '-c search_path=identity', max: 1 });
    ({ email, id: userId } = await identity.createUser());
    listener = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk) => (body += String(chunk)));
      request.on('end', () => {
        told.push({ path: request.url ?? '', form: new URLSearchParams(body) });
        answer(request, response);
      });
    });
    await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
    // The address of a server that listens on a port.
    listenerUrl = `http://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  });
  afterAll(async () => {
    listener.closeAllConnections();
    listener.close();
    await sql.end();
    await identity.close();
  });

  const calls = () => identity.running.app.get(LogoutCalls, { strict: false });
  const claimsOf = ({ form }: { form: URLSearchParams }) => decodeJwt(form.get('logout_token') ?? '').payload;
  const createClient = (given: object = {}) =>
    identity.createClient({ postLogoutRedirectUris: [afterwards], ...given });
  const signIn = (client: FlowClient, scope = 'openid email', agent = new UserAgent(identity.issuer)) =>
    obtainTokens(identity.issuer, { client, email, password, scope, agent });
  const endUrl = (parameters: Record<string, string>) =>
    `${identity.issuer}/oauth/session/end?${new URLSearchParams(parameters).toString()}`;
  const asksForPassword = async (agent: UserAgent, client: FlowClient) => {
    const page = await agent.visit(authorizationUrl(identity.issuer, { client, scope: 'openid' }, makePkce()));
    return page.body.includes('name="password"');
  };
  const until = async (condition: () => boolean) => {
    const deadline = Date.now() + 10_000;
    while (!condition()) {
      if (Date.now() > deadline) throw new Error('it did not come true within 10 s');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };

  it('is asked for, ends the session and its tokens, and leads back to the client; offline access stays', async () => {
    const [client, offline] = [await createClient(), await createClient()];
    const agent = new UserAgent(identity.issuer);
    const tokens = await signIn(client, 'openid email', agent);
    const lasting = await signIn(offline, 'openid offline_access', agent);
    const question = await agent.visit(
      endUrl({ id_token_hint: tokens.id_token, post_logout_redirect_uri: afterwards, state: 'a state' }),
    );
    expect(question.status).toBe(200);
    expect(question.body).toContain('Example App asks to sign you out');
    expect(question.body).toContain(email);
    expect(question.headers.get('content-security-policy')).toContain(`form-action 'self' https://app.example.com;`);
    expect(question.headers.get('cache-control')).toContain('no-store');
    expect((await userinfo(identity.issuer, tokens.access_token)).status).toBe(200);

    const answered = await agent.submit(question, 'confirm', { logout: 'yes' });
    expect(answered.status).toBe(303);
    expect(answered.headers.get('location')).toBe(`${afterwards}?state=a+state`);
    expect((await userinfo(identity.issuer, tokens.access_token)).status).toBe(401);
    expect(await asksForPassword(agent, client)).toBe(true);
    expect((await refresh(identity.issuer, offline, lasting.refresh_token)).status).toBe(200);
    // A double click.
    const again = await agent.submit(question, 'confirm', { logout: 'yes' });
    expect(again.status).toBe(400);
    expect(again.body).toContain('This form was used already');
  });

  it('the other answer signs out of the asking client alone', async () => {
    const [client, other] = [await createClient(), await createClient()];
    const agent = new UserAgent(identity.issuer);
    const tokens = await signIn(client, 'openid email', agent);
    const others = await signIn(other, 'openid email', agent);
    const question = await agent.visit(endUrl({ client_id: client.clientId }));
    expect(question.body).toContain('Sign out of Example App only');
    const page = await agent.submit(question, 'confirm');
    expect(page.body).toContain('You are signed out of Example App only.');
    expect((await userinfo(identity.issuer, tokens.access_token)).status).toBe(401);
    expect((await userinfo(identity.issuer, others.access_token)).status).toBe(200);
    expect(await asksForPassword(agent, other)).toBe(false);
  });

  it('without a client the question has the same answers', async () => {
    const client = await createClient();
    const agent = new UserAgent(identity.issuer);
    await signIn(client, 'openid', agent);
    const stays = await agent.submit(await agent.visit(endUrl({})), 'confirm');
    expect(stays.body).toContain('You are still signed in');
    expect(await asksForPassword(agent, client)).toBe(false);
    const leaves = await agent.submit(await agent.visit(endUrl({})), 'confirm', { logout: 'yes' });
    expect(leaves.body).toContain('You are signed out');
    expect(await asksForPassword(agent, client)).toBe(true);
  });

  it('a form that another site posts is asked again from here, with the cookies', async () => {
    const client = await createClient();
    const agent = new UserAgent(identity.issuer);
    const { id_token: hint } = await signIn(client, 'openid', agent);
    const posted = await new UserAgent(identity.issuer).request('/oauth/session/end', {
      method: 'POST',
      headers: { 'sec-fetch-site': 'cross-site' },
      body: new URLSearchParams({ id_token_hint: hint }),
    });
    expect(posted.status).toBe(303);
    expect((await agent.visit(posted.headers.get('location') ?? '')).body).toContain('asks to sign you out');
  });

  it('where nobody is signed in, the browser goes on to the client', async () => {
    const client = await createClient();
    const agent = new UserAgent(identity.issuer);
    const page = await agent.visit(endUrl({ client_id: client.clientId, post_logout_redirect_uri: afterwards }));
    expect(page.headers.get('content-security-policy')).toContain(`form-action 'self' https://app.example.com;`);
    const { headers } = await agent.submit(page, 'confirm');
    expect(headers.get('location')).toBe(afterwards);
  });

  it.each([
    ['an address that the client did not register', { post_logout_redirect_uri: 'https://evil.example/' }, 400],
    ['a hint that is no ID token', { id_token_hint: 'x.y.z' }, 400],
    ['a client that does not exist', { client_id: 'nobody' }, 400],
    ['two clients', { client_id: ['a', 'b'] }, 400],
  ])('%s is refused with a page, and nobody is signed out', async (_, parameters, status) => {
    const client = await createClient();
    const agent = new UserAgent(identity.issuer);
    await signIn(client, 'openid', agent);
    const query = new URLSearchParams();
    for (const [name, values] of Object.entries({ client_id: client.clientId, ...parameters })) {
      for (const value of [values].flat()) query.append(name, value as string);
    }
    const page = await agent.visit(`${identity.issuer}/oauth/session/end?${query.toString()}`);
    expect(page.status).toBe(status);
    expect(page.body).toContain('<!doctype html>');
    expect(await asksForPassword(agent, client)).toBe(false);
  });

  it('a form without the secret of this session signs nobody out', async () => {
    const client = await createClient();
    const agent = new UserAgent(identity.issuer);
    await signIn(client, 'openid', agent);
    await agent.visit(endUrl({}));
    const forged = await agent.post('/oauth/session/end/confirm', { xsrf: 'guessed', logout: 'yes' });
    expect(forged.status).toBe(400);
    expect(await asksForPassword(agent, client)).toBe(false);
  });

  it('is reported to each client that registered for it, after the session has ended', async () => {
    const client = await createClient({ backchannelLogoutUri: `${listenerUrl}/one?x=1` });
    const agent = new UserAgent(identity.issuer);
    const { id_token: idToken } = await signIn(client, 'openid offline_access', agent);
    const sid = decodeJwt(idToken).payload['sid'];
    expect(sid).toEqual(expect.any(String));
    told = [];
    await agent.submit(await agent.visit(endUrl({})), 'confirm', { logout: 'yes' });
    await until(() => told.length > 0);
    expect(told).toHaveLength(1);
    expect(told[0]!.path).toBe('/one?x=1');
    const keys = createRemoteJWKSet(new URL(`${identity.issuer}/oauth/jwks`));
    const { payload, protectedHeader } = await jwtVerify(told[0]!.form.get('logout_token') ?? '', keys, {
      issuer: identity.issuer,
      audience: client.clientId,
    });
    expect(protectedHeader).toMatchObject({ typ: 'logout+jwt', alg: 'RS256' });
    expect(payload).toMatchObject({
      sub: userId,
      sid,
      jti: expect.any(String),
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    expect(payload).not.toHaveProperty('nonce');
  });

  it('a client that never answers, or redirects, delays nobody and is called again', async () => {
    const agent = new UserAgent(identity.issuer);
    for (const path of ['/silent', '/redirects']) {
      await signIn(await createClient({ backchannelLogoutUri: listenerUrl + path }), 'openid', agent);
    }
    answer = ({ url }, response) => {
      if (url === '/redirects') response.writeHead(307, { location: `${listenerUrl}/elsewhere` }).end();
    };
    told = [];
    const question = await agent.visit(endUrl({}));
    const began = performance.now();
    expect((await agent.submit(question, 'confirm', { logout: 'yes' })).body).toContain('You are signed out');
    expect(performance.now() - began).toBeLessThan(2_000);
    await until(() => told.length === 2);
    expect(told.map(({ path }) => path).sort()).toEqual(['/redirects', '/silent']);
    const [first] = told.filter(({ path }) => path === '/redirects');
    answer = (_request, response) => response.end();
    // Sooner than its turn comes.
    await sql.query('update logout_call set due_at = now() where attempts > 0 and due_at < now() + interval $$30 s$$');
    calls().wake();
    await until(() => told.filter(({ path }) => path === '/redirects').length === 2);
    const [, again] = told.filter(({ path }) => path === '/redirects');
    expect(claimsOf(again!)).toMatchObject({ sub: claimsOf(first!)['sub'], sid: claimsOf(first!)['sid'] });
    expect(claimsOf(again!)['jti']).not.toBe(claimsOf(first!)['jti']);
    await sql.query('delete from logout_call');
  });

  it('a call that another replica claimed and never finished is made when its lease ends, and at last given up', async () => {
    const { clientId } = await createClient({ backchannelLogoutUri: `${listenerUrl}/lease` });
    const insert = (attempts: number, due: string) =>
      sql.query(
        `insert into logout_call (client_id, user_id, attempts, due_at) values ($1, $2, $3, now() + $4::interval) returning id`,
        [clientId, userId, attempts, due],
      );
    told = [];
    await insert(1, '1 hour');
    await insert(1, '-1 s');
    calls().wake();
    await until(() => told.length === 1);
    const left = async () =>
      (await sql.query<{ attempts: number }>('select attempts from logout_call where client_id = $1', [clientId])).rows;
    for (let rows = await left(); rows.length !== 1; rows = await left()) await delay(20);
    answer = (_request, response) => response.writeHead(500).end();
    await sql.query('update logout_call set attempts = 11, due_at = now() where client_id = $1', [clientId]);
    calls().wake();
    for (let rows = await left(); rows.length > 0; rows = await left()) await delay(20);
    answer = (_request, response) => response.end();
  });

  it('the end of a session by its user, a new password and a disabled user are reported, too', async () => {
    const user = await identity.createUser();
    const client = await createClient({ backchannelLogoutUri: `${listenerUrl}/ends` });
    const begin = async () => {
      const agent = new UserAgent(identity.issuer);
      const parameters = { client, email: user.email, password, scope: 'openid' };
      const { id_token: idToken } = await obtainTokens(identity.issuer, { ...parameters, agent });
      return { agent, sid: decodeJwt(idToken).payload['sid'] };
    };
    const heard = async (ends: () => Promise<unknown>, sids: unknown[]) => {
      told = [];
      await ends();
      await until(() => told.length === sids.length);
      expect(told.map((one) => claimsOf(one)['sid']).sort()).toEqual([...sids].sort());
    };
    const [one, other] = [await begin(), await begin()];
    const list = await one.agent.visit('/account/sessions');
    await heard(() => one.agent.submit(list, 'end'), [other.sid]);
    const third = await begin();
    await heard(
      async () => one.agent.submit(await one.agent.visit('/account/sessions'), 'end-all'),
      [one.sid, third.sid],
    );
    const last = await begin();
    await heard(() => identity.running.app.get(Users, { strict: false }).disable(user.email), [last.sid]);
  });

  it('inside addresses cannot be registered, nor be reached by a name', async () => {
    const replica = await identity.startReplica({ LOGOUT_CALLS_TO_LOOPBACK: 'false' });
    const register = async (metadata: object) => {
      const response = await fetch(`${replica.url}/oauth/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: [defaultRedirectUri], ...metadata }),
      });
      return { status: response.status, body: (await response.json()) as Record<string, unknown> };
    };
    for (const uri of [
      `${listenerUrl}/x`,
      'https://10.0.0.1/x',
      'https://[::1]/x',
      `https://a.example/${'x'.repeat(2000)}`,
      7,
      null,
    ]) {
      const { status, body } = await register({ backchannel_logout_uri: uri });
      expect({ uri, status, error: body['error'] }).toEqual({ uri, status: 400, error: 'invalid_client_metadata' });
    }
    for (const uris of [['http://evil.example/'], ['javascript:alert(1)'], Array(21).fill(afterwards), 'x', [1]]) {
      const { status } = await register({ post_logout_redirect_uris: uris });
      expect({ uris, status }).toEqual({ uris, status: 400 });
    }
    const good = await register({
      backchannel_logout_uri: 'https://app.example.com/logout',
      backchannel_logout_session_required: true,
      post_logout_redirect_uris: [afterwards],
    });
    expect(good).toMatchObject({
      status: 201,
      body: { backchannel_logout_uri: 'https://app.example.com/logout', post_logout_redirect_uris: [afterwards] },
    });
  });

  it('an inside address that a client has all the same is not called, nor reached by a name', async () => {
    const strict = await startIdentity({ LOGOUT_CALLS_TO_LOOPBACK: 'false' });
    const database = testPool({ connectionString: strict.databaseUrl, options: '-c search_path=identity', max: 1 });
    try {
      const { port } = new URL(listenerUrl);
      told = [];
      let connections = 0;
      listener.on('connection', () => (connections += 1));
      const { id } = await strict.createUser();
      const hosts = ['x.localhost', '127.0.0.1', 'localhost'];
      const uris = hosts.flatMap((host) => [`http://${host}:${port}/x`, `https://${host}:${port}/x`]);
      for (const uri of uris) {
        await database.query(`insert into oauth_client (client_id, metadata, origin) values ($1, $2, 'operator')`, [
          uri,
          JSON.stringify({ backchannel_logout_uri: uri }),
        ]);
        await database.query('insert into logout_call (client_id, user_id) values ($1, $2)', [uri, id]);
      }
      const calls = strict.running.app.get(LogoutCalls, { strict: false });
      const counted = async () =>
        /logout_call_total\{[^}]*failed[^}]*\} (\d+)/.exec(await (await fetch(strict.running.metricsUrl)).text())?.[1];
      calls.wake();
      for (let found; Number(found ?? 0) < 6; found = await counted()) await delay(20);
      expect({ told, connections }).toEqual({ told: [], connections: 0 });
      await inUnitOfWork(new UnitOfWork(), () =>
        expect(calls.accept('https://app.example.com/jwks')).rejects.toThrow('reads no addresses'),
      );
    } finally {
      await database.end();
      await strict.close();
    }
  });

  it('openid-client: discovery, registration and the end of a session', async () => {
    const config = await openid.dynamicClientRegistration(
      new URL(identity.issuer),
      { redirect_uris: [defaultRedirectUri], post_logout_redirect_uris: [afterwards] },
      undefined,
      { execute: [openid.allowInsecureRequests] },
    );
    expect(config.serverMetadata()).toMatchObject({
      end_session_endpoint: `${identity.issuer}/oauth/session/end`,
      backchannel_logout_supported: true,
      backchannel_logout_session_supported: true,
    });
    const metadata = config.clientMetadata();
    const client = { clientId: metadata.client_id, clientSecret: metadata.client_secret as string };
    const agent = new UserAgent(identity.issuer);
    const { id_token: hint } = await signIn(client, 'openid', agent);
    const url = openid.buildEndSessionUrl(config, { post_logout_redirect_uri: afterwards, id_token_hint: hint });
    const { headers } = await agent.submit(await agent.visit(url.href), 'confirm', { logout: 'yes' });
    expect(headers.get('location')).toBe(afterwards);
  });

  it('express-openid-connect with idpLogout: signing out of the application signs out here, and leads back', async () => {
    const application = express();
    const server = application.listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const baseURL = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const client = await identity.createClient({
        redirectUris: [`${baseURL}/callback`],
        postLogoutRedirectUris: [baseURL],
        authMethod: 'client_secret_basic',
      });
      application.use(
        auth({
          issuerBaseURL: identity.issuer,
          baseURL,
          clientID: client.clientId,
          clientSecret: client.clientSecret,
          secret: 'a secret for the cookies of the application',
          authRequired: false,
          idpLogout: true,
          authorizationParams: { response_type: 'code', scope: 'openid email' },
        }),
      );
      application.get('/', (request, response) => void response.json(request.oidc.user?.['email'] ?? 'nobody'));
      // One browser, of which each agent has the cookies of one host.
      const [atApplication, here] = [new UserAgent(baseURL), new UserAgent(identity.issuer)];
      const next = ({ headers }: Page) => headers.get('location') ?? '';
      const login = await here.visit(next(await atApplication.visit('/login')));
      const consent = await here.submit(login, 'submit', { email, password });
      expect((await atApplication.visit(next(await here.submit(consent, 'confirm')))).body).toBe(JSON.stringify(email));

      const end = next(await atApplication.visit('/logout'));
      expect(new URL(end).origin + new URL(end).pathname).toBe(`${identity.issuer}/oauth/session/end`);
      const ended = await here.submit(await here.visit(end), 'confirm', { logout: 'yes' });
      expect((await atApplication.visit(next(ended))).body).toBe('"nobody"');
      // The next login asks for the password again.
      const again = await here.visit(next(await atApplication.visit('/login')));
      expect(again.body).toContain('name="password"');
    } finally {
      server.close();
    }
  });
});
