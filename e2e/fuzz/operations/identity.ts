// The operations of identity. Its routes come from OpenID Connect and are in no OpenAPI document, so this is a table.
import fc, { type Arbitrary } from 'fast-check';
import { marker } from '../request/fuzz-request.js';
import type { Target } from '../target/target.types.js';
import type { Operation, Sample } from './operation.types.js';

const client = { client_id: 'demo-client', client_secret: 'demo-secret' };
const redirectUri = 'http://localhost:4999/callback';
const pkce = { code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', code_challenge_method: 'S256' };
const form = { isForm: true };

type Part = Partial<Omit<Sample, 'service' | 'method' | 'path'>>;

export function operationsOfIdentity({ tokens: { jwt } }: Target): Operation[] {
  const bearer = { headers: { authorization: `Bearer ${jwt}` } };
  const authorization = {
    ...{ response_type: 'code', client_id: client.client_id, redirect_uri: redirectUri, state: marker },
    ...{ scope: 'openid email', nonce: marker, prompt: 'login', ...pkce },
  };
  const uid = { params: { uid: marker } };
  return [
    ...['/', '/oauth/jwks', '/.well-known/openid-configuration', '/.well-known/oauth-protected-resource'].map((path) =>
      operation('GET', path, { query: { any: marker } }),
    ),
    operation('GET', '/oauth/auth', { query: authorization }),
    operation('POST', '/oauth/auth', { ...form, body: authorization }),
    ...[
      { grant_type: 'authorization_code', code: marker, redirect_uri: redirectUri, code_verifier: marker.repeat(3) },
      { grant_type: 'refresh_token', refresh_token: marker, scope: 'openid', resource: 'urn:tradewind:data' },
      { grant_type: marker },
    ].map((body) => operation('POST', '/oauth/token', { ...form, body: { ...client, ...body } })),
    operation('POST', '/oauth/token/introspection', {
      ...form,
      body: { ...client, token: marker, token_type_hint: 'access_token' },
    }),
    operation('POST', '/oauth/token/revocation', { ...form, body: { ...client, token: marker } }),
    operation('GET', '/oauth/me', bearer),
    operation('GET', '/auth/me', bearer),
    operation('POST', '/auth/login', { body: { email: `${marker}@example.com`, password: marker } }),
    operation('POST', '/oauth/reg', {
      body: {
        ...{ client_name: marker, redirect_uris: ['https://client.example.com/callback'] },
        ...{ grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'] },
        ...{ token_endpoint_auth_method: 'client_secret_basic', scope: 'openid email' },
      },
    }),
    ...['GET', 'PUT', 'DELETE'].map((method) =>
      operation(method, '/oauth/reg/{clientId}', {
        ...{ params: { clientId: marker }, headers: { authorization: `Bearer ${marker}` } },
        ...(method === 'PUT' ? { body: { client_name: marker, redirect_uris: [redirectUri] } } : {}),
      }),
    ),
    operation('GET', '/oauth/session/end', { query: { id_token_hint: jwt, post_logout_redirect_uri: redirectUri } }),
    operation('GET', '/login/{uid}', uid),
    operation('POST', '/login/{uid}/submit', {
      ...{ ...uid, ...form },
      body: { email: `${marker}@example.com`, password: marker, _csrf: marker },
    }),
    operation('POST', '/login/{uid}/confirm', { ...uid, ...form, body: { _csrf: marker } }),
    operation('POST', '/login/{uid}/abort', { ...uid, ...form, body: { _csrf: marker } }),
  ];
}

function operation(method: string, path: string, part: Part): Operation {
  const sample: Sample = { service: 'identity', method, path, params: {}, query: {}, headers: {}, ...part };
  return { service: 'identity', name: `${method} ${path}`, samples: someFieldsLeftOut(sample) };
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
