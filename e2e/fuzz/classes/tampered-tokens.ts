import fc, { type Arbitrary } from 'fast-check';
import { marker, type HttpRequest } from '../request/fuzz-request.js';
import { asRequest, samplesOf } from '../operations/sample-request.js';
import type { Target } from '../../src/target.types.js';
import type { HostileClass } from './class.types.js';

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** The good token with one character changed, forged heads and claims, keys with a wrong checksum, and rubbish. */
function badTokens(good: string): Arbitrary<string> {
  const [, claims = '', signature = ''] = good.split('.');
  const heads = [
    { alg: 'none' },
    { alg: 'HS256', typ: 'at+jwt' },
    { alg: 'RS256', kid: `${marker}../../etc/passwd` },
    { alg: 'RS256', kid: 'a'.repeat(5_000) },
    { alg: 'RS256', jku: 'http://127.0.0.1:1/keys' },
    { alg: 'ES256', jwk: { kty: 'EC' } },
    { alg: 'RS256', crit: ['b64'], b64: false },
    { alg: '__proto__' },
    null,
    [],
  ];
  return fc.oneof(
    fc.tuple(fc.nat(Math.max(0, good.length - 3)), fc.constantFrom('A', 'b', '9')).map(([at, character]) => {
      const other = good[at] === character ? '_' : character;
      return good.slice(0, at) + other + good.slice(at + 1);
    }),
    fc.constantFrom<unknown>(...heads).map((head) => `${base64(head)}.${claims}.${signature}`),
    fc.constantFrom<unknown>(...heads).map((head) => `${base64(head)}.${claims}.`),
    fc.jsonValue().map((value) => `${base64({ alg: 'RS256' })}.${base64(value)}.${signature}`),
    fc.constantFrom(
      'svc_',
      `svc_${'a'.repeat(49)}`,
      `svc_${'0'.repeat(10_000)}`,
      marker,
      `${'.'.repeat(5_000)}`,
      'a.b.c',
    ),
    fc.string({ minLength: 1, maxLength: 100 }).map((text) => text.replaceAll(/[^\x21-\x7e]/g, 'x')),
  );
}

function goodToken({ service, path }: HttpRequest, { apiKey, jwt, data = jwt }: Target['tokens']): string {
  if (service !== 'graphql-gateway' || path.startsWith('/auth')) return jwt;
  return path.startsWith('/graphql') ? apiKey : data;
}

/** The header that carries the credential, with tampered ones in it. */
function tampered(request: HttpRequest, { tokens }: Target): Arbitrary<HttpRequest> {
  const secret = tokens.webhooks[request.service];
  if (secret !== undefined) {
    return badTokens(secret).map((token) => ({
      ...request,
      headers: { ...request.headers, 'x-webhook-secret': token },
    }));
  }
  const good = goodToken(request, tokens);
  const schemes = fc.constantFrom('Bearer ', 'Bearer ', 'bearer ', 'Basic ', 'DPoP ', '', 'Bearer  Bearer ');
  return fc.tuple(schemes, badTokens(good)).map(([scheme, token]) => ({
    ...request,
    headers: { ...request.headers, authorization: scheme + token },
  }));
}

/** Operations that ask for a credential whatever the settings are. */
const guarded = /\/oauth\/me|\/auth\/me|\/oauth\/reg\/|\/internal\/|Connection|createApiKey/;

/** Operations that ask for the secret of webhooks. Those of administrators, which show webhooks, ask for a token. */
const receives = /^POST (?!\/admin\/).*webhook/;

/** Tokens, API keys and webhook secrets with a character changed, forged, or made up. */
export const tamperedTokens: HostileClass = {
  name: 'tampered tokens',
  isRefused: true,
  requests: (service, { operations, target }) => {
    const hasSecret = target.tokens.webhooks[service] !== undefined;
    const closed = operations.filter(({ name }) => guarded.test(name) || (hasSecret && receives.test(name)));
    if (closed.length === 0) return undefined;
    return samplesOf(closed).chain((sample) => tampered(asRequest(sample), target));
  },
};
