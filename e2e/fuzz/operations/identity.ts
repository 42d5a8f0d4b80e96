// The operations of identity. Its routes come from OpenID Connect and are in no OpenAPI document, so a table has what
// each route reads. The file routes.json has all of them, and identity compares it with the routes that it serves.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import fc, { type Arbitrary } from 'fast-check';
import { rootDir } from '../../src/platform-process.js';
import { marker } from '../request/fuzz-request.js';
import type { Browsers, PageForms, Target } from '../../src/target.types.js';
import type { Operation, Sample } from './operation.types.js';

const client = { client_id: 'demo-client', client_secret: 'demo-secret' };
const redirectUri = 'http://localhost:4999/callback';
const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };

/** Where there are no browsers. Its forms end at the login. */
const nobody: PageForms & { uid: string } = { cookie: '', csrf: marker, version: '1', uid: marker };
const noBrowsers: Browsers = { account: nobody, signsOut: nobody, signsOutEverywhere: nobody, login: nobody };

type Part = Partial<Omit<Sample, 'service' | 'method' | 'path'>>;

export function operationsOfIdentity(target: Target): Operation[] {
  const parts = partsOfRoutes(target);
  return routesOfIdentity().flatMap((route) => {
    const [method = '', path = ''] = route.split(' ');
    const own = parts[route];
    if (own === undefined) throw new Error(`the table of identity's operations has no row for ${route}`);
    return own.map((part): Operation => {
      const sample: Sample = {
        ...{ service: 'identity', method, path: path.replaceAll(/:(\w+)/g, '{$1}') },
        ...{ params: {}, query: {}, headers: {} },
        ...part,
      };
      return { service: 'identity', name: `${method} ${sample.path}`, samples: someFieldsLeftOut(sample) };
    });
  });
}

/** Every route that identity serves, such as `GET /login/:uid`. The OpenAPI document and its page read nothing. */
export function routesOfIdentity(): string[] {
  // The file holds a list of texts.
  const routes = JSON.parse(readFileSync(join(rootDir, 'apps/identity/routes.json'), 'utf8')) as string[];
  return routes.filter((route) => !/^GET \/(?:docs|openapi)/.test(route));
}

/** What each route reads, in one or more kinds of requests. */
export function partsOfRoutes({
  tokens: { jwt, service = marker },
  browsers = noBrowsers,
}: Target): Record<string, Part[]> {
  const bearer = (token: string) => ({ headers: { authorization: `Bearer ${token}` } });
  const anyQuery = [{ query: { any: marker } }];
  const form = (body: object) => ({ isForm: true, body });
  const ofClient = (body: object) => form({ ...client, ...body });
  const authorization = {
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri: redirectUri, state: marker },
    ...{ scope: 'openid email', nonce: marker, prompt: 'login', ...pkce },
  };
  const registration = {
    ...{ client_name: marker, redirect_uris: ['https://client.example.com/callback'] },
    ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
    ...{ token_endpoint_auth_method: 'client_secret_basic', scope: 'openid email' },
  };
  const endSession = {
    ...{ client_id: client.client_id, post_logout_redirect_uri: redirectUri },
    ...{ state: marker, ui_locales: 'de', logout_hint: marker },
  };
  const ofRegistration = { params: { clientId: marker }, ...bearer(marker) };
  const uid = { params: { uid: marker } };
  const by = ({ cookie }: PageForms): Part => ({ headers: { cookie } });
  /** A form with its own token, and with a bad one. */
  const formOf = (page: PageForms, fields: object): Part[] =>
    [page.csrf, marker].map((_csrf) => ({ ...by(page), ...form({ _csrf, ...fields }) }));
  const { account, login } = browsers;
  /** Users and clients that it makes are its own; it changes no others, whose ids it does not know. */
  const administered = (part: Part): Part[] => [{ ...part, ...bearer(service) }];
  const page = { limit: '2', cursor: marker };
  const user = { params: { user_id: '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11' } };
  const ofMarker = { params: { client_id: marker } };
  const allowed = { resource: 'urn:tradewind:data' };
  const atLogin = { params: { uid: login.uid }, ...by(login) };
  return {
    'GET /': anyQuery,
    'GET /health': anyQuery,
    'GET /ready': anyQuery,
    'GET /.well-known/openid-configuration': anyQuery,
    'GET /.well-known/oauth-authorization-server': anyQuery,
    'GET /.well-known/oauth-protected-resource': anyQuery,
    'GET /oauth/jwks': anyQuery,
    'GET /oauth/auth': [{ query: authorization }],
    'POST /oauth/auth': [form(authorization)],
    'GET /oauth/auth/:uid': [uid],
    'POST /oauth/par': [ofClient(authorization)],
    'POST /oauth/token': [
      { grant_type: 'authorization_code', code: marker, redirect_uri: redirectUri, code_verifier: marker.repeat(3) },
      { grant_type: 'refresh_token', refresh_token: marker, scope: 'openid', resource: 'urn:tradewind:data' },
      { grant_type: marker },
    ].map(ofClient),
    'POST /oauth/token/introspection': [ofClient({ token: marker, token_type_hint: 'access_token' })],
    'POST /oauth/token/revocation': [ofClient({ token: marker })],
    'GET /oauth/me': [bearer(jwt)],
    'POST /oauth/me': [{ ...bearer(jwt), ...form({ any: marker }) }, form({ access_token: jwt })],
    'POST /oauth/reg': [{ body: registration }],
    'GET /oauth/reg/:clientId': [ofRegistration],
    'PUT /oauth/reg/:clientId': [{ ...ofRegistration, body: { client_id: marker, ...registration } }],
    'DELETE /oauth/reg/:clientId': [ofRegistration],
    'GET /oauth/session/end': [{ query: { ...endSession, id_token_hint: jwt } }, { query: endSession }],
    'POST /oauth/session/end': [form(endSession)],
    'GET /oauth/session/end/success': [{ query: { client_id: client.client_id } }],
    'POST /oauth/session/end/confirm': [form({ xsrf: marker, logout: 'yes' })],
    'GET /login/:uid': [uid, atLogin],
    'POST /login/:uid/submit': [
      ...[login.csrf, marker].map((_csrf) => ({
        ...atLogin,
        ...form({ email: `${marker}@example.com`, password: marker, _csrf }),
      })),
    ],
    'POST /login/:uid/code': [{ ...atLogin, ...form({ _csrf: login.csrf, code: marker }) }],
    'POST /login/:uid/passkey': [{ ...atLogin, ...form({ _csrf: login.csrf, answer: marker }) }],
    'POST /login/:uid/set-up': [
      { ...atLogin, ...form({ _csrf: login.csrf, set_up: marker, code: marker, answer: '' }) },
    ],
    // A good form would end the login.
    'POST /login/:uid/confirm': [{ ...atLogin, ...form({ _csrf: marker }) }],
    'POST /login/:uid/switch': [{ ...atLogin, ...form({ _csrf: marker }) }],
    'POST /login/:uid/abort': [{ ...atLogin, ...form({ _csrf: marker }) }],
    'GET /account': [{ ...by(account), query: { done: marker } }],
    'GET /account/signed-in': [
      { ...by(account), query: { code: marker, state: marker, iss: marker } },
      { query: { error: marker } },
    ],
    'GET /account/password': [{ ...by(account), query: { any: marker } }],
    // The present password is wrong: a good form would end the session.
    'POST /account/password': formOf(account, {
      ...{ version: account.version, password: marker, new_password: marker.repeat(2), repeated: marker.repeat(2) },
    }),
    'GET /account/sessions': [{ ...by(account), query: { page: '1', done: marker } }],
    'POST /account/sessions/end': formOf(account, { session: marker }),
    'POST /account/sessions/end-all': [
      ...formOf(browsers.signsOutEverywhere, {}),
      { ...by(account), ...form({ _csrf: marker }) },
    ],
    'GET /account/applications': [{ ...by(account), query: { page: '1', done: marker } }],
    'POST /account/applications/revoke': formOf(account, { application: client.client_id }),
    'GET /account/forgotten': [by(account)],
    'POST /account/forgotten': [{ ...by(account), ...form({ _csrf: marker, email: `${marker}@example.com` }) }],
    'GET /account/set-password': [{ query: { token: marker } }],
    'POST /account/set-password': [form({ _csrf: marker, token: marker, new_password: marker, repeated: marker })],
    'GET /account/verify-email': [{ query: { token: marker } }],
    'POST /account/verify-email': [form({ _csrf: marker, token: marker })],
    'POST /account/verify-email/send': formOf(account, {}),
    'GET /account/two-factor': [{ ...by(account), query: { done: marker } }],
    'GET /account/two-factor/app': [by(account)],
    'POST /account/two-factor/app': formOf(account, { set_up: marker, code: marker }),
    'GET /account/two-factor/passkey': [by(account)],
    'POST /account/two-factor/passkey': formOf(account, { set_up: marker, answer: marker }),
    'POST /account/two-factor/remove': formOf(account, { passkey: marker }),
    'POST /account/two-factor/codes': formOf(account, {}),
    'POST /account/sign-out': [...formOf(browsers.signsOut, {}), { ...by(account), ...form({ _csrf: marker }) }],
    'POST /auth/login': [{ body: { email: `${marker}@example.com`, password: marker } }],
    'GET /auth/me': [bearer(jwt)],
    'GET /internal/credential-changes': [{ query: { after: '0' }, ...bearer(service) }],
    'POST /internal/access-tokens/check': [{ body: { token: jwt }, ...bearer(service) }],
    'GET /admin/users': administered({ query: { search: marker, company_id: marker, role: 'USER', ...page } }),
    'POST /admin/users': administered({
      body: {
        ...{ email: `${marker}@example.com`, password: marker.repeat(3), role: 'USER', company_id: marker },
        ...{ name: marker, given_name: marker, family_name: marker, preferred_username: marker, email_verified: true },
      },
    }),
    'POST /admin/users/invite': administered({
      body: { email: `${marker}@example.com`, role: 'USER', company_id: marker, name: marker },
    }),
    'POST /admin/users/:user_id/password-link': administered(user),
    'GET /admin/users/:user_id': administered(user),
    'POST /admin/users/:user_id/role': administered({ ...user, body: { role: 'USER' } }),
    'POST /admin/users/:user_id/company': administered({ ...user, body: { company_id: marker } }),
    'POST /admin/users/:user_id/disable': administered(user),
    'POST /admin/users/:user_id/enable': administered(user),
    'POST /admin/users/:user_id/second-factor/reset': administered(user),
    'GET /admin/users/:user_id/sessions': administered({ ...user, query: page }),
    'POST /admin/users/:user_id/sessions/end-all': administered(user),
    'POST /admin/users/:user_id/sessions/:session_id/end': administered({
      params: { ...user.params, session_id: marker },
    }),
    'GET /admin/clients': administered({ query: page }),
    'POST /admin/clients': administered({
      body: {
        ...{ client_id: marker, client_name: marker, redirect_uris: [redirectUri], scope: 'openid email' },
        ...{ post_logout_redirect_uris: [redirectUri], backchannel_logout_uri: 'https://client.example.com/out' },
        ...{ grant_types: ['authorization_code'], token_endpoint_auth_method: 'none', introspects: marker },
        resources: ['urn:tradewind:data'],
      },
    }),
    'GET /admin/clients/:client_id': administered(ofMarker),
    'PATCH /admin/clients/:client_id': administered({
      ...ofMarker,
      body: {
        ...{ client_name: marker, redirect_uris: [redirectUri], post_logout_redirect_uris: null, scope: 'openid' },
        ...{ backchannel_logout_uri: null, grant_types: ['authorization_code'] },
      },
    }),
    'POST /admin/clients/:client_id/resources/allow': administered({ ...ofMarker, body: allowed }),
    'POST /admin/clients/:client_id/resources/disallow': administered({ ...ofMarker, body: allowed }),
    'POST /admin/clients/:client_id/rotate-secret': administered(ofMarker),
    'DELETE /admin/clients/:client_id': administered(ofMarker),
    'GET /admin/grants': administered({ query: { user_id: user.params.user_id, client_id: marker, ...page } }),
    'POST /admin/grants/:grant_id/end': administered({ params: { grant_id: marker } }),
    'GET /admin/signing-keys': administered({}),
    // Not forced: the next key has not been published for long enough.
    'POST /admin/signing-keys/rotate': administered({ body: { force: false } }),
    'GET /admin/audit': administered({
      query: {
        client_id: marker,
        event: marker,
        since: '2026-11-01T00:00:00Z',
        until: '2026-12-01T00:00:00Z',
        ...page,
      },
    }),
    'GET /admin/audit/sign-ins': administered({ query: { days: '7' } }),
    'GET /admin/audit/export': administered({ query: { user_id: user.params.user_id, event: marker } }),
  };
}

/** All fields, or all but one. */
function someFieldsLeftOut(sample: Sample): Arbitrary<Sample> {
  // Bodies of the table above are objects.
  const fields = Object.keys(sample.body ?? sample.query);
  if (fields.length === 0) return fc.constant(sample);
  return fc.option(fc.constantFrom(...fields), { freq: 2, nil: undefined }).map((left) => {
    const kept = (all: unknown) => Object.fromEntries(Object.entries(all as object).filter(([name]) => name !== left));
    if (left === undefined) return sample;
    return sample.body === undefined
      ? { ...sample, query: kept(sample.query) }
      : { ...sample, body: kept(sample.body) };
  });
}
