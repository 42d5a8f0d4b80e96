// Who may do what: every route against every kind of caller. A route without a row fails the build.
import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorCommands, serviceTokenEntry } from '@tradewind/service-kit';
import {
  accessFaults,
  commandFaults,
  DpopKey,
  openRoutes,
  tableHashes,
  testPool,
  type Caller,
  type Operation,
} from '@tradewind/testkit';
import type pg from 'pg';
import { Clients } from '../src/operators/clients.service.js';
import { Users } from '../src/operators/users.service.js';
import { service } from '../src/service.js';
import type { User } from '../src/users/users.types.js';
import { SignedTokens } from '../src/signing-keys/signed-tokens.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import {
  authorizationUrl,
  authorize,
  formOf,
  makePkce,
  obtainTokens,
  postForm,
  revoke,
  UserAgent,
  type FlowClient,
} from './user-agent.js';

/**
 * Callers that are treated alike. `nobody` sends no credential, and `unknown` a token that is good nowhere or for
 * something else. `wrongClient` sends a client that does not exist, in the header; `wrongSecret` one with a wrong
 * secret, in the form. `otherClient` and `otherRegistration` are good, but not of the client whose things are asked
 * for. `ownUser` has a token for the administration API and is no ADMIN; the four after it may use it. The last four
 * are browsers. `session` is of the user whose things the forms name, `otherSession` of somebody
 * else. `wrongForm` has a good session and a bad CSRF token, `endedSession` a cookie that signs in nobody.
 */
const groups = [
  'nobody',
  'unknown',
  'badProof',
  'wrongClient',
  'wrongSecret',
  'client',
  'otherClient',
  'accessToken',
  'boundToken',
  'resourceToken',
  'directToken',
  'machine',
  'otherMachine',
  'ownUser',
  'admin',
  'companyAdmin',
  'adminMachine',
  'companyMachine',
  'registration',
  'otherRegistration',
  'initialToken',
  'session',
  'otherSession',
  'wrongForm',
  'endedSession',
] as const;
type Group = (typeof groups)[number];
type Answers = Record<Group, number>;

const answersTo = (others: number, named: Partial<Answers>): Answers => ({
  // The list has every group.
  ...(Object.fromEntries(groups.map((group) => [group, others])) as Answers),
  ...named,
});

// The provider reads the Authorization header of a client before anything else, and refuses another scheme than Basic.
const byClient = (client: number, otherClient: number) =>
  answersTo(400, {
    ...{ nobody: 401, session: 401, otherSession: 401, wrongForm: 401, endedSession: 401 },
    ...{ wrongClient: 401, wrongSecret: 401, client, otherClient },
  });
const notSignedIn = groups.filter((group) => !['session', 'otherSession', 'wrongForm'].includes(group));
/** Everybody else is sent to the login. */
const ofAccountPage = answersTo(303, { session: 200, otherSession: 200, wrongForm: 200 });
// Every access token may be used there, whatever its audience is: its scope decides what the answer has.
const byAccessToken = answersTo(401, {
  wrongClient: 400,
  accessToken: 200,
  boundToken: 200,
  resourceToken: 200,
  ownUser: 200,
  admin: 200,
  companyAdmin: 200,
});
/** The second status is for those of another company than the things that the request names. */
const byAdministrator = (all: number, ofCompany: number) =>
  answersTo(401, {
    ...{ machine: 403, otherMachine: 403, ownUser: 403 },
    ...{ admin: all, adminMachine: all, companyAdmin: ofCompany, companyMachine: ofCompany },
  });
const byService = answersTo(401, { machine: 200, otherMachine: 403, adminMachine: 403, companyMachine: 403 });
const byRegistration = (allowed: Partial<Answers>) =>
  answersTo(401, { wrongClient: 400, badProof: 400, boundToken: 400, ...allowed });

const registrationToken = 'initial-token-of-the-test';
const redirectUri = 'https://app.example.com/callback';
const metadata = { redirect_uris: [redirectUri] };

/** A browser at the account pages. */
class AccountBrowser {
  cookie = '';
  /** What the hidden fields of its forms have. */
  fields: Record<string, string> = {};
  private agent: UserAgent;

  constructor(
    private readonly issuer: string,
    readonly email: string,
  ) {
    this.agent = new UserAgent(issuer);
  }

  async signIn(): Promise<void> {
    this.agent = new UserAgent(this.issuer);
    const login = await this.agent.visit('/account/password');
    const page = await this.agent.submit(login, 'submit', { email: this.email, password });
    this.fields = formOf(page, 'password').hidden;
    this.cookie = this.agent.cookieHeader('/account');
  }

  async signOut(): Promise<void> {
    await this.agent.post('/account/sign-out', this.fields);
  }
}

interface Registration {
  client_id: string;
  registration_access_token: string;
}

describe('access', () => {
  let identity: Identity;
  let callers: Record<string, Caller<Group>>;
  let operations: Record<string, Operation<Group>>;
  let sql: pg.Pool;

  beforeAll(async () => {
    identity = await startIdentity({
      PAR: 'on',
      DPOP: 'true',
      REGISTRATION_INITIAL_TOKEN: registrationToken,
      REGISTRATIONS_PER_IP_PER_HOUR: '1000',
      // Rows that expire must not look like changes.
      CLEANUP_INTERVAL_SECONDS: '86400',
      LOGIN_FAILURES_PER_ACCOUNT_AND_NETWORK: '10000',
      LOGIN_FAILURES_PER_ACCOUNT: '10000',
      LOGIN_FAILURES_PER_NETWORK: '10000',
      SERVICE_TOKENS: [
        serviceTokenEntry('token-of-a-machine', { name: 'machine', services: ['identity'] }),
        serviceTokenEntry('token-for-others', { name: 'others', services: ['coordinator'] }),
        serviceTokenEntry('token-of-a-console', { name: 'console', services: ['identity-admin'] }),
        serviceTokenEntry('token-of-a-console-of-acme', {
          ...{ name: 'console-of-acme', services: ['identity-admin'], companyId: 'acme' },
        }),
        serviceTokenEntry('token-of-acme', { name: 'acme', services: ['identity'], companyId: 'acme' }),
      ].join(','),
    });
    const { issuer } = identity;
    const [user, disabled] = [await identity.createUser(), await identity.createUser()];
    const [client, otherClient] = [await identity.createClient(), await identity.createClient()];
    const pipelinesClient = await identity.createClient({ resources: ['urn:tradewind:pipelines'] });
    const ownClient = await identity.createClient({ resources: ['urn:tradewind:identity'] });
    const tokensOf = (email: string, flowClient: FlowClient = client, parameters: Record<string, string> = {}) =>
      obtainTokens(issuer, { client: flowClient, email, password, scope: 'openid email offline_access', parameters });
    const logIn = async (email: string) => {
      const response = await fetch(`${issuer}/auth/login`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email, password }),
      });
      return ((await response.json()) as { token: string }).token;
    };
    const register = async () => {
      const response = await fetch(`${issuer}/oauth/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: `Bearer ${registrationToken}` },
        body: JSON.stringify(metadata),
      });
      return (await response.json()) as Registration;
    };

    const good = await tokensOf(user.email);
    const revoked = await tokensOf(user.email);
    await revoke(issuer, client, revoked.access_token);
    const forPipelines = await tokensOf(user.email, pipelinesClient, { resource: 'urn:tradewind:pipelines' });
    const [ofDisabled, directOfDisabled] = [await tokensOf(disabled.email), await logIn(disabled.email)];
    await identity.running.app.get(Users, { strict: false }).disable(disabled.email);
    const direct = await logIn(user.email);
    const ownTokenOf = async ({ email }: User) =>
      (await tokensOf(email, ownClient, { resource: 'urn:tradewind:identity' })).access_token;
    const ownUser = await ownTokenOf(await identity.createUser({ role: 'ANALYST' }));
    const admin = await ownTokenOf(await identity.createUser({ role: 'ADMIN' }));
    const companyAdmin = await ownTokenOf(await identity.createUser({ role: 'ADMIN', companyId: 'acme' }));
    // What administrators see and change.
    const managed = await identity.createUser({ companyId: 'globex' });
    const clients = identity.running.app.get(Clients, { strict: false });
    const ofManaged = {
      ...{ id: 'managed', redirectUris: [redirectUri], grantTypes: ['authorization_code'] },
      authMethod: 'client_secret_post',
    };
    await clients.create(ofManaged);
    const [key, otherKey] = [new DpopKey(), new DpopKey()];
    const bound = await boundToken(identity, client, user.email, key);
    const past = Math.floor(Date.now() / 1000) - 3600;
    const signed = (typ: 'at+jwt' | 'JWT', claims: object) =>
      identity.running.app
        .get(SignedTokens, { strict: false })
        .sign(typ, { iss: issuer, aud: issuer, sub: user.id, exp: past + 7200, ...claims });
    const expiredDirect = await signed('JWT', { token_use: 'direct', credentials_version: 1, exp: past });
    const otherAudience = await signed('JWT', {
      token_use: 'direct',
      credentials_version: 1,
      aud: 'https://elsewhere',
    });
    const neverIssued = await signed('at+jwt', { jti: randomUUID(), client_id: client.clientId, scope: 'openid' });
    // A client for each route that ends its token.
    const registrations = {
      GET: await register(),
      PUT: await register(),
      DELETE: await register(),
    };
    const others = { GET: await register(), PUT: await register(), DELETE: await register() };
    const ofMethod = (group: Group, owned: typeof registrations): Caller<Group> => ({
      group,
      headers: ({ method }) => ({
        authorization: `Bearer ${owned[method as keyof typeof owned]?.registration_access_token}`,
      }),
    });

    sql = testPool({ connectionString: identity.databaseUrl, options: '-c search_path=identity', max: 1 });
    const users = identity.running.app.get(Users, { strict: false });
    const [owner, stranger] = [await identity.createUser(), await identity.createUser()];
    const [forger, gone] = [await identity.createUser(), await identity.createUser()];
    const [ofOwner, ofStranger] = [new AccountBrowser(issuer, owner.email), new AccountBrowser(issuer, stranger.email)];
    for (const browser of [ofOwner, ofStranger]) await browser.signIn();
    const sessionsOf = async (userId: string) =>
      (
        await sql.query<{ uid: string }>(
          `select uid from oidc_payload where model = 'Session' and account_id = $1 and uid is not null`,
          [userId],
        )
      ).rows.map(({ uid }) => uid);
    const [signedIn] = await sessionsOf(owner.id);
    await tokensOf(owner.email);
    const endable = (await sessionsOf(owner.id)).find((uid) => uid !== signedIn)!;
    const signedInAs = async (email: string) => {
      const browser = new AccountBrowser(issuer, email);
      await browser.signIn();
      return browser;
    };
    const beforeNewPassword = await signedInAs(gone.email);
    await users.setPassword(gone.email, password);
    const ended = await signedInAs(gone.email);
    await ended.signOut();
    const expired = await signedInAs(gone.email);
    await sql.query(`update oidc_payload set expires_at = now() where model = 'Session' and account_id = $1`, [
      gone.id,
    ]);
    const later = await identity.createUser();
    const ofDisabledUser = await signedInAs(later.email);
    await users.disable(later.email);
    const forged = await signedInAs(forger.email);
    /** Puts back what a call has changed or ended. */
    const signInAgain = async () => {
      for (const browser of [ofOwner, ofStranger]) {
        await users.setPassword(browser.email, password);
        await browser.signIn();
      }
    };
    const ofBrowser = (group: Group, browser: AccountBrowser, form: Record<string, string> = {}): Caller<Group> => ({
      group,
      headers: () => ({ cookie: browser.cookie }),
      get form() {
        return { ...browser.fields, ...form };
      },
    });
    const ofCookie = (cookie: string): Caller<Group> => ({
      ...{ group: 'endedSession', headers: () => ({ cookie }), form: forged.fields },
    });

    const bearer = (group: Group, token: string): Caller<Group> => ({
      group,
      headers: () => ({ authorization: `Bearer ${token}` }),
    });
    const basic = (group: Group, id: string, secret: string): Caller<Group> => ({
      group,
      headers: () => ({ authorization: `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}` }),
    });
    const byForm = (group: Group, { clientId, clientSecret }: FlowClient): Caller<Group> => ({
      group,
      form: { client_id: clientId, client_secret: clientSecret },
    });
    const withProof = (group: Group, by: DpopKey): Caller<Group> => ({
      group,
      headers: (request) => ({ authorization: `DPoP ${bound}`, dpop: by.proof(request, bound) }),
    });
    const changed = (token: string) => `${token.slice(0, -8)}AAAAAAAA`;
    const unsigned = ([, payload]: string[]) =>
      `${Buffer.from('{"alg":"none","typ":"JWT"}').toString('base64url')}.${payload}.`;
    callers = {
      nobody: { group: 'nobody' },
      'no token at all': bearer('unknown', 'not-a-token'),
      'a tampered access token': bearer('unknown', changed(good.access_token)),
      'a tampered direct-login JWT': bearer('unknown', changed(direct)),
      'an unsigned JWT': bearer('unknown', unsigned(direct.split('.'))),
      'an expired direct-login JWT': bearer('unknown', expiredDirect),
      'a direct-login JWT for another audience': bearer('unknown', otherAudience),
      'an access token that was never issued': bearer('unknown', neverIssued),
      'a revoked access token': bearer('unknown', revoked.access_token),
      'an access token of a disabled user': bearer('unknown', ofDisabled.access_token),
      'a direct-login JWT of a disabled user': bearer('unknown', directOfDisabled),
      'an access token for another resource': bearer('resourceToken', forPipelines.access_token),
      'an ID token': bearer('unknown', good.id_token),
      'a refresh token': bearer('unknown', good.refresh_token),
      'an API key': bearer('unknown', `svc_${'a'.repeat(49)}`),
      'an unknown service token': bearer('unknown', 'token-of-nobody'),
      'a bound token without its proof': bearer('unknown', bound),
      'a bound token with the proof of another key': withProof('badProof', otherKey),
      'a client that does not exist': basic('wrongClient', 'nobody', 'secret'),
      'a client with a wrong secret': byForm('wrongSecret', { ...client, clientSecret: 'wrong' }),
      'the client': byForm('client', client),
      'another client': byForm('otherClient', otherClient),
      'a good access token': bearer('accessToken', good.access_token),
      'a bound token and its proof': withProof('boundToken', key),
      'a good direct-login JWT': bearer('directToken', direct),
      'a service token': bearer('machine', 'token-of-a-machine'),
      'a token of the resource of identity, of an ANALYST': bearer('ownUser', ownUser),
      'an ADMIN': bearer('admin', admin),
      'an ADMIN of a company': bearer('companyAdmin', companyAdmin),
      'a service token for administration': bearer('adminMachine', 'token-of-a-console'),
      'a service token for administration, of a company': bearer('companyMachine', 'token-of-a-console-of-acme'),
      'a service token for other services': bearer('otherMachine', 'token-for-others'),
      'a service token of a company': bearer('otherMachine', 'token-of-acme'),
      'the registration token': ofMethod('registration', registrations),
      'the registration token of another client': ofMethod('otherRegistration', others),
      'the initial token of registrations': bearer('initialToken', registrationToken),
      'a browser of the user': ofBrowser('session', ofOwner),
      'a browser of another user': ofBrowser('otherSession', ofStranger),
      'a browser without a CSRF token': ofBrowser('wrongForm', forged, { _csrf: '' }),
      'a browser with the CSRF token of another session': ofBrowser('wrongForm', forged, ofStranger.fields),
      'a session that has ended': ofBrowser('endedSession', ended),
      'a session that has expired': ofBrowser('endedSession', expired),
      'a session from before a new password': ofBrowser('endedSession', beforeNewPassword),
      'a session of a disabled user': ofBrowser('endedSession', ofDisabledUser),
      'a session with a wrong signature': ofCookie(forged.cookie.replace(/(_session\.sig=)../, '$1xx')),
      'a session without a signature': ofCookie(forged.cookie.replace(/_session\.sig=[^;]+/, '')),
      'the id of a session as its cookie': ofCookie(`_session=${signedIn}; _session.sig=${signedIn}`),
    };

    const started = await new UserAgent(issuer).visit(authorizationUrl(issuer, { client }, makePkce()));
    const uid = new URL(started.url).pathname.split('/')[2]!;
    const ofInteraction = (suffix: string): Operation<Group> => ({
      path: `/login/${uid}${suffix}`,
      unknown: { path: `/login/${randomUUID()}${suffix}` },
      ...(suffix === '' ? {} : { form: { _csrf: 'x', email: user.email, password } }),
      // The browser that began it has a cookie, which none of these callers has.
      answers: 400,
    });
    const login = '/oauth/auth?client_id=tradewind-account&';
    /** @param leadsTo for the user, and for somebody else: where only the own things can be named, the same */
    const ofAccount = (
      form: Record<string, string>,
      [leadsTo, leadsOthersTo = leadsTo]: [string, string?],
      more: Partial<Operation<Group>> = { ready: signInAgain },
    ): Operation<Group> => ({
      form: { _csrf: 'x', ...form },
      answers: answersTo(303, { wrongForm: 403 }),
      leadsTo: {
        // The list has every group.
        ...(Object.fromEntries(groups.map((group) => [group, login])) as Record<Group, string>),
        ...{ session: leadsTo, otherSession: leadsOthersTo, wrongForm: '' },
      },
      // Nobody is refused, but nothing may happen.
      hiddenFrom: leadsOthersTo === leadsTo ? notSignedIn : [...notSignedIn, 'otherSession'],
      ...more,
    });
    const ofRegistration = (method: keyof typeof registrations, allowed: number, body?: object): Operation<Group> => ({
      path: `/oauth/reg/${registrations[method].client_id}`,
      unknown: { path: '/oauth/reg/unknown' },
      ...(body && { body: { client_id: registrations[method].client_id, ...body } }),
      answers: byRegistration({ registration: allowed }),
      // A registration token that is presented for another client ends (RFC 7592).
      mayChange: 'identity.oidc_payload',
    });
    const ofUser = (action: string, answers: Answers, body?: object): Operation<Group> => ({
      path: `/admin/users/${managed.id}${action}`,
      unknown: { path: `/admin/users/${randomUUID()}${action}` },
      ...{ answers, body },
    });
    const ofClient = (action: string, allowed: number, body?: object): Operation<Group> => ({
      path: `/admin/clients/managed${action}`,
      unknown: { path: `/admin/clients/nobody${action}` },
      ...{ answers: byAdministrator(allowed, 403), body },
    });
    // The cookie of a session that is gone begins another, of nobody.
    const beginsSession = { mayChange: 'identity.oidc_payload' };
    operations = {
      ...(openRoutes as Record<string, Operation<Group>>),
      'GET /': { answers: 200 },
      'GET /.well-known/openid-configuration': { answers: 200 },
      'GET /.well-known/oauth-authorization-server': { answers: 200 },
      'GET /.well-known/oauth-protected-resource': { answers: 200 },
      'GET /oauth/jwks': { answers: 200 },
      // Without a client there is no redirect URI for the answer.
      'GET /oauth/auth': { answers: 400, ...beginsSession },
      // The form of a client names the client, to which the user is sent back with the error.
      'POST /oauth/auth': {
        ...{ form: {}, answers: answersTo(400, { wrongSecret: 303, client: 303, otherClient: 303 }) },
        ...beginsSession,
      },
      'GET /oauth/auth/:uid': {
        path: `/oauth/auth/${uid}`,
        unknown: { path: '/oauth/auth/unknown' },
        answers: 400,
        ...beginsSession,
      },
      'POST /oauth/token': {
        form: { grant_type: 'refresh_token', refresh_token: good.refresh_token },
        unknown: { form: { grant_type: 'refresh_token', refresh_token: 'unknown' } },
        answers: byClient(200, 400),
      },
      // A proof is remembered, so that it is used once.
      'GET /oauth/me': { answers: byAccessToken, mayChange: 'identity.oidc_payload' },
      'POST /oauth/me': { form: {}, answers: byAccessToken, mayChange: 'identity.oidc_payload' },
      'POST /oauth/token/introspection': {
        form: { token: good.access_token },
        unknown: { form: { token: 'unknown' } },
        answers: byClient(200, 200),
        hiddenFrom: ['otherClient'],
      },
      'POST /oauth/token/revocation': {
        form: { token: revoked.refresh_token },
        unknown: { form: { token: 'unknown' } },
        answers: byClient(200, 200),
        hiddenFrom: ['otherClient'],
      },
      'POST /oauth/par': {
        form: {
          response_type: 'code',
          redirect_uri: redirectUri,
          code_challenge: makePkce().challenge,
          code_challenge_method: 'S256',
        },
        answers: byClient(201, 201),
      },
      // Nobody is signed in: a page that goes on to the end.
      'GET /oauth/session/end': { answers: 200 },
      'POST /oauth/session/end': { form: {}, answers: 200 },
      'GET /oauth/session/end/success': { answers: 200 },
      'POST /oauth/session/end/confirm': { form: { xsrf: 'x' }, answers: 400, ...beginsSession },
      'POST /oauth/reg': { body: metadata, answers: byRegistration({ initialToken: 201 }) },
      'GET /oauth/reg/:clientId': ofRegistration('GET', 200),
      'PUT /oauth/reg/:clientId': ofRegistration('PUT', 200, metadata),
      'DELETE /oauth/reg/:clientId': ofRegistration('DELETE', 204),
      'GET /login/:uid': ofInteraction(''),
      'POST /login/:uid/submit': ofInteraction('/submit'),
      'POST /login/:uid/code': ofInteraction('/code'),
      'POST /login/:uid/passkey': ofInteraction('/passkey'),
      'POST /login/:uid/set-up': ofInteraction('/set-up'),
      'POST /login/:uid/confirm': ofInteraction('/confirm'),
      'POST /login/:uid/switch': ofInteraction('/switch'),
      'POST /login/:uid/abort': ofInteraction('/abort'),
      // Only the cookie of a session counts.
      'GET /account': { answers: ofAccountPage },
      'GET /account/password': { answers: ofAccountPage },
      'GET /account/sessions': { answers: ofAccountPage },
      'GET /account/applications': { answers: ofAccountPage },
      'GET /account/two-factor': { answers: ofAccountPage },
      'GET /account/two-factor/app': { answers: ofAccountPage },
      'GET /account/two-factor/passkey': { answers: ofAccountPage },
      // The login leads back to it. Without a session it is a page.
      'GET /account/signed-in': { answers: answersTo(400, { session: 303, otherSession: 303, wrongForm: 303 }) },
      // Without mail.
      'GET /account/forgotten': { answers: 404 },
      'POST /account/forgotten': { form: {}, answers: 404 },
      'POST /account/verify-email/send': { form: {}, answers: 404 },
      // Only the token of a link counts.
      'GET /account/set-password': { answers: 400 },
      'POST /account/set-password': { form: { token: 'x', new_password: password, repeated: password }, answers: 403 },
      'GET /account/verify-email': { answers: 400 },
      'POST /account/verify-email': { form: { token: 'x' }, answers: 403 },
      'POST /account/sessions/end': ofAccount(
        { session: endable },
        ['/account/sessions?done=ended', '/account/sessions?done=gone'],
        { unknown: { form: { _csrf: 'x', session: 'unknown' } } },
      ),
      'POST /account/applications/revoke': ofAccount(
        { application: client.clientId },
        ['/account/applications?done=revoked', '/account/applications?done=gone'],
        { unknown: { form: { _csrf: 'x', application: 'unknown' } } },
      ),
      'POST /account/password': ofAccount({ password, new_password: 'x'.repeat(12), repeated: 'x'.repeat(12) }, [
        '/account?done=password',
      ]),
      'POST /account/two-factor/app': ofAccount({ set_up: 'x', code: '000000' }, ['/account/two-factor?done=expired']),
      'POST /account/two-factor/passkey': ofAccount({ set_up: 'x', answer: '{}' }, [
        '/account/two-factor?done=expired',
      ]),
      'POST /account/two-factor/remove': ofAccount({}, ['/account/two-factor?done=gone']),
      'POST /account/two-factor/codes': ofAccount({}, ['/account/two-factor?done=gone']),
      'POST /account/sessions/end-all': ofAccount({}, ['/oauth/session/end/success']),
      'POST /account/sign-out': ofAccount({}, ['/oauth/session/end/success']),
      // Only the password counts.
      'POST /auth/login': {
        body: { email: user.email, password: 'a wrong password' },
        unknown: { body: { email: 'nobody@example.com', password: 'a wrong password' } },
        answers: 401,
      },
      'GET /auth/me': { answers: answersTo(401, { directToken: 200 }) },
      'GET /internal/credential-changes': { answers: byService },
      'POST /internal/access-tokens/check': {
        body: { token: good.access_token },
        answers: byService,
      },
      'GET /admin/users': { answers: byAdministrator(200, 200) },
      'POST /admin/users': {
        body: { email: 'made@example.com', password },
        answers: byAdministrator(200, 200),
        ready: () => sql.query(`delete from user_account where email = 'made@example.com'`),
      },
      'POST /admin/users/invite': {
        body: { email: 'invited@example.com' },
        answers: byAdministrator(200, 200),
        ready: () => sql.query(`delete from user_account where email = 'invited@example.com'`),
      },
      'POST /admin/users/:user_id/password-link': ofUser('/password-link', byAdministrator(200, 404)),
      'GET /admin/users/:user_id': ofUser('', byAdministrator(200, 404)),
      'POST /admin/users/:user_id/role': ofUser('/role', byAdministrator(200, 404), { role: 'ANALYST' }),
      'POST /admin/users/:user_id/company': ofUser('/company', byAdministrator(200, 403), { company_id: null }),
      'POST /admin/users/:user_id/disable': ofUser('/disable', byAdministrator(200, 404)),
      'POST /admin/users/:user_id/enable': ofUser('/enable', byAdministrator(200, 404)),
      'POST /admin/users/:user_id/second-factor/reset': ofUser('/second-factor/reset', byAdministrator(200, 404)),
      'GET /admin/users/:user_id/sessions': ofUser('/sessions', byAdministrator(200, 404)),
      'POST /admin/users/:user_id/sessions/end-all': ofUser('/sessions/end-all', byAdministrator(200, 404)),
      'POST /admin/users/:user_id/sessions/:session_id/end': {
        ...ofUser('/sessions/session-of-managed/end', byAdministrator(200, 404)),
        ready: () =>
          sql.query(
            `with ended as (delete from oidc_payload where model = 'EndedSession' and id = 'session-of-managed')
             insert into oidc_payload (model, id, uid, payload, account_id, expires_at)
             values ('Session', 'handle-of-managed', 'session-of-managed', '{}', '${managed.id}', now() + interval '1 hour')`,
          ),
      },
      // A caller of a company names the user, and sees nothing of those of others.
      'GET /admin/grants': {
        path: `/admin/grants?user_id=${managed.id}`,
        unknown: { path: `/admin/grants?user_id=${randomUUID()}` },
        answers: byAdministrator(200, 200),
      },
      'POST /admin/grants/:grant_id/end': {
        path: '/admin/grants/grant-of-managed/end',
        unknown: { path: '/admin/grants/nothing/end' },
        answers: byAdministrator(204, 404),
        ready: () =>
          sql.query(
            `insert into oidc_payload (model, id, grant_id, client_id, payload, account_id, credentials_version, expires_at)
             select 'Grant', 'grant-of-managed', 'grant-of-managed', 'managed', '{"iat":1}', id, credentials_version,
                    now() + interval '1 hour' from user_account where id = '${managed.id}'`,
          ),
      },
      'GET /admin/signing-keys': { answers: byAdministrator(200, 403) },
      'POST /admin/signing-keys/rotate': {
        body: { force: true },
        answers: byAdministrator(200, 403),
      },
      'GET /admin/audit': { answers: byAdministrator(200, 403) },
      'GET /admin/audit/export': { answers: byAdministrator(200, 403) },
      'GET /admin/audit/sign-ins': { answers: byAdministrator(200, 403) },
      'GET /admin/clients': { answers: byAdministrator(200, 403) },
      'POST /admin/clients': { body: metadata, answers: byAdministrator(200, 403) },
      'GET /admin/clients/:client_id': ofClient('', 200),
      'PATCH /admin/clients/:client_id': ofClient('', 200, { client_name: 'Other' }),
      'POST /admin/clients/:client_id/resources/allow': ofClient('/resources/allow', 200, {
        resource: 'urn:tradewind:data',
      }),
      'POST /admin/clients/:client_id/resources/disallow': ofClient('/resources/disallow', 200, {
        resource: 'urn:tradewind:data',
      }),
      'POST /admin/clients/:client_id/rotate-secret': ofClient('/rotate-secret', 200),
      'DELETE /admin/clients/:client_id': {
        ...ofClient('', 204),
        ready: () => clients.create(ofManaged),
      },
    };
  });
  afterAll(async () => {
    await sql.end();
    await identity.close();
  });

  it('every route answers every caller as the table says', async () => {
    // Failures are audited and counted.
    const state = () => tableHashes(identity.databaseUrl, ['audit_event', 'attempt_window']);
    expect(
      await accessFaults({ running: { ...identity.running, url: identity.issuer }, operations, callers, state }),
    ).toEqual([]);
  }, 240_000);

  it('routes.json has every route', () => {
    const file = readFileSync(new URL('../routes.json', import.meta.url), 'utf8');
    expect(JSON.parse(file)).toEqual(identity.running.routes);
  });

  it('no operator command runs without the settings, or with a wrong password of the database', async () => {
    const email = ['--email', 'somebody@example.com'];
    const faults = await commandFaults({
      commands: (env) => operatorCommands(service, env),
      databaseUrl: identity.databaseUrl,
      settings: ['ENVIRONMENT', 'DATABASE_URL', 'OAUTH_ISSUER', 'COOKIE_KEYS', 'STORAGE_KEYS'],
      argumentsOf: {
        serve: [],
        migrate: [],
        'user create': [...email, '--password', password],
        'user invite': email,
        'user password-link': email,
        'user set-password': [...email, '--password', password],
        'user set-role': [...email, '--role', 'ADMIN'],
        'user set-company': ['somebody@example.com', 'acme'],
        'user reset-second-factor': email,
        'user disable': email,
        'user delete': email,
        'user enable': email,
        'user list': [],
        'client create': ['--redirect-uri', redirectUri],
        'client list': [],
        'client show': ['some-client'],
        'client allow-resource': ['some-client', 'urn:tradewind:data'],
        'client disallow-resource': ['some-client', 'urn:tradewind:data'],
        'client delete': ['some-client'],
        'key list': [],
        'key rotate': [],
        'audit list': [],
        'service-token create': ['--name', 'robot', '--for', 'interactions'],
      },
      // It prints a new token, which no service accepts until its hash is put into the settings.
      withoutSettings: ['service-token create'],
    });
    expect(faults).toEqual([]);
  });

  it.each([
    ['GET', '/oauth/token', 'POST'],
    ['DELETE', '/oauth/me', 'GET'],
    ['POST', '/.well-known/openid-configuration', 'GET'],
    ['PUT', '/auth/login', 'POST'],
    ['POST', '/auth/me', 'GET'],
    ['GET', '/login/x/submit', 'POST'],
    ['PATCH', '/oauth/reg/x', 'PUT'],
  ])('%s %s is 405 and Allow names %s', async (method, path, allowed) => {
    const response = await fetch(identity.issuer + path, { method });
    expect([response.status, await response.json()]).toEqual([
      405,
      expect.objectContaining({ error: 'Method Not Allowed', statusCode: 405 }),
    ]);
    expect(response.headers.get('allow')?.split(', ')).toContain(allowed);
  });

  it.each([
    ['/auth/login', 'application/x-www-form-urlencoded', 'email=a&password=b'],
    ['/auth/login', 'text/plain', '{}'],
    ['/auth/login', 'multipart/form-data; boundary=x', '--x--'],
    ['/login/x/submit', 'application/json', '{}'],
    ['/login/x/abort', 'text/plain', '_csrf=x'],
    ['/account/password', 'application/json', '{}'],
  ])('%s does not read %s', async (path, contentType, body) => {
    const response = await fetch(identity.issuer + path, {
      method: 'POST',
      headers: { 'content-type': contentType },
      body,
    });
    expect([response.status, await response.json()]).toEqual([
      415,
      {
        message: 'The content type is not one that this address reads',
        error: 'Unsupported Media Type',
        statusCode: 415,
      },
    ]);
  });

  it('a request that authenticates no client is invalid_client', async () => {
    for (const path of ['/oauth/token/introspection', '/oauth/token/revocation', '/oauth/token']) {
      const response = await fetch(identity.issuer + path, {
        method: 'POST',
        body: new URLSearchParams({ token: 'x', grant_type: 'authorization_code' }),
      });
      expect([response.status, ((await response.json()) as { error: string }).error]).toEqual([401, 'invalid_client']);
      expect(response.headers.get('www-authenticate')).toMatch(/^Basic /);
    }
  });

  it('unknown paths are 404', async () => {
    for (const path of [
      '/oauth',
      '/oauth/unknown',
      '/interaction/x',
      '/session/end',
      '/token',
      '/OAUTH/token',
      '/oauth/../etc',
    ]) {
      const response = await fetch(identity.issuer + path);
      expect([path, response.status]).toEqual([path, 404]);
    }
  });
});

/** An access token that is bound to this key. */
async function boundToken({ issuer }: Identity, client: FlowClient, email: string, key: DpopKey): Promise<string> {
  const { code, pkce } = await authorize(issuer, { client, email, password });
  const url = `${issuer}/oauth/token`;
  const { body } = await postForm(
    url,
    {
      grant_type: 'authorization_code',
      code,
      redirect_uri: redirectUri,
      client_id: client.clientId,
      client_secret: client.clientSecret,
      code_verifier: pkce.verifier,
    },
    { dpop: key.proof({ method: 'POST', url }) },
  );
  return body.access_token;
}
