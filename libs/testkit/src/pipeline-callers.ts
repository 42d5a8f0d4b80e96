// How each kind of caller of a pipeline service is made: the rows of every access table of these services.
import { createHash, randomBytes } from 'node:crypto';
import type { Caller, Operation } from './access-table.js';
import { DpopKey } from './dpop-key.js';
import type { PretendIssuer } from './pretend-issuer.js';

/**
 * Callers that a service treats alike. `nobody` sends no Authorization header, `unknown` a credential that is not good
 * here, `forbidden` one that is good for others. `company` is acme, `otherCompany` globex; the rest is bound to none.
 * The analysts of these are treated like the others of their company unless a row names them.
 */
const pipelineGroups = [
  'nobody',
  'unknown',
  'forbidden',
  'analyst',
  'admin',
  'machine',
  'company',
  'companyAnalyst',
  'otherCompany',
  'otherCompanyAnalyst',
  'queue',
  'provider',
] as const;
export type PipelineGroup = (typeof pipelineGroups)[number];

type Answers = Record<PipelineGroup, number>;

/** A status for every group, which is that of `others` unless named. */
export function answersTo(others: number, named: Partial<Answers>): Answers {
  // The list has every group.
  const { company = others, otherCompany = others } = named;
  return {
    ...(Object.fromEntries(pipelineGroups.map((group) => [group, others])) as Answers),
    ...{ companyAnalyst: company, otherCompanyAnalyst: otherCompany },
    ...named,
  };
}

/** For operations that concern all companies. */
export const ofAllCompanies = (allowed: number): Answers =>
  answersTo(401, {
    forbidden: 403,
    company: 403,
    otherCompany: 403,
    analyst: allowed,
    admin: allowed,
    machine: allowed,
  });

/** The routes that every pipeline service opens to everybody. */
export const openRoutes: Record<string, Operation<PipelineGroup>> = {
  'GET /health': { answers: 200 },
  'GET /ready': { answers: 200 },
  'GET /openapi.json': { answers: 200 },
  'GET /openapi.yaml': { answers: 200 },
  'GET /docs': { answers: 200 },
  'GET /docs/': { answers: 200 },
  'GET /docs/*': { path: '/docs/swagger-ui.css', answers: 200 },
  // Registered by @nestjs/swagger, which then refuses it.
  'GET /docs/LICENSE': { answers: 404 },
  'GET /docs/docs/swagger-ui-init.js': { answers: 200 },
  'GET /docs/index.html': { answers: 200 },
  'GET /docs/swagger-ui-init.js': { answers: 200 },
};

interface ServiceToken {
  token: string;
  name: string;
  services: string[];
  companyId?: string;
}

/** The service tokens that the callers present; the app under test is set up with them. */
export function serviceTokensFor(service: string): ServiceToken[] {
  return [
    { token: 'token-of-a-machine', name: 'machine', services: ['elsewhere', service] },
    { token: 'token-of-acme', name: 'acme', services: [service], companyId: 'acme' },
    { token: 'token-of-globex', name: 'globex', services: [service], companyId: 'globex' },
    { token: 'token-for-others', name: 'others', services: ['elsewhere'] },
  ];
}

/** @param secrets of the app under test, which no other operation may accept */
export function pipelineCallers(
  issuer: PretendIssuer,
  stranger: PretendIssuer,
  secrets: { queue?: string; provider?: string } = {},
): Record<string, Caller<PipelineGroup>> {
  const bearer = (group: PipelineGroup, token: string): Caller<PipelineGroup> => ({
    group,
    headers: () => ({ authorization: `Bearer ${token}` }),
  });
  const [key, otherKey] = [new DpopKey(), new DpopKey()];
  const boundToken = issuer.accessToken({ userRole: 'ADMIN', cnf: { jkt: key.thumbprint } });
  const withProof = (
    group: PipelineGroup,
    { token = boundToken, by = key, claims = {} }: { token?: string; by?: DpopKey; claims?: Record<string, unknown> },
  ): Caller<PipelineGroup> => ({
    group,
    headers: (request) => ({ authorization: `DPoP ${token}`, dpop: by.proof(request, token, claims) }),
  });
  const ofAcme = { user_company_id: 'acme' };
  const ofGlobex = { user_company_id: 'globex' };
  const past = 1_700_000_000;
  return {
    nobody: { group: 'nobody' },
    'the secret of the webhook': {
      group: 'provider',
      headers: () => ({ 'x-webhook-secret': secrets.provider ?? 'the-secret-of-another-service' }),
    },
    'a wrong secret of the webhook': { group: 'nobody', headers: () => ({ 'x-webhook-secret': 'wrong' }) },
    'the token of the queue': bearer('queue', secrets.queue ?? 'the-token-of-the-queue'),

    'a name and a password': { group: 'unknown', headers: () => ({ authorization: 'Basic YTpi' }) },
    'an empty token': { group: 'unknown', headers: () => ({ authorization: 'Bearer ' }) },
    'no token at all': bearer('unknown', 'not-a-token'),
    'an unknown service token': bearer('unknown', 'token-of-nobody'),
    'the hash of a service token': bearer('unknown', createHash('sha256').update('token-of-a-machine').digest('hex')),
    'an API key': bearer('unknown', `svc_${'a'.repeat(49)}`),
    'a refresh token': bearer('unknown', randomBytes(32).toString('base64url')),
    'an ID token': bearer('unknown', issuer.directToken({ token_use: undefined })),
    'an unsigned token': bearer('unknown', issuer.unsignedToken({ userRole: 'ADMIN' })),
    'a tampered token': bearer('unknown', `${issuer.accessToken().slice(0, -8)}AAAAAAAA`),
    'a token signed by a stranger': bearer('unknown', stranger.accessToken({ iss: issuer.url })),
    'a token of another issuer': bearer('unknown', issuer.accessToken({ iss: 'https://elsewhere.example' })),
    'an expired access token': bearer('unknown', issuer.accessToken({ exp: past })),
    'an expired direct-login token': bearer('unknown', issuer.directToken({ exp: past })),
    'a token that is not valid yet': bearer('unknown', issuer.accessToken({ nbf: 4_000_000_000 })),
    'an access token for the data resource': bearer('unknown', issuer.accessToken({ aud: 'urn:tradewind:data' })),
    'an access token for identity': bearer('unknown', issuer.accessToken({ aud: 'urn:tradewind:identity' })),
    'an access token for the issuer': bearer('unknown', issuer.accessToken({ aud: issuer.url })),
    'a direct-login token for the pipelines': bearer('unknown', issuer.directToken({ aud: 'urn:tradewind:pipelines' })),
    'a token without a user': bearer('unknown', issuer.accessToken({ sub: undefined })),
    'a token with a company that is none': bearer('unknown', issuer.accessToken({ user_company_id: '' })),
    'a bound token without its proof': bearer('unknown', boundToken),
    'a bound token with the proof of another key': withProof('unknown', { by: otherKey }),
    'a bound token with the proof of another method': withProof('unknown', { claims: { htm: 'PATCH' } }),
    'a bound token with the proof of another address': withProof('unknown', {
      claims: { htu: 'https://elsewhere.example/' },
    }),
    'a bound token with the proof of another token': withProof('unknown', { claims: { ath: 'x' } }),
    'a bound token with an old proof': withProof('unknown', { claims: { iat: past } }),
    'an unbound token with a proof': withProof('unknown', { token: issuer.accessToken() }),
    'a service token with a proof': withProof('unknown', { token: 'token-of-a-machine' }),
    'an analyst whose access token was revoked': bearer('unknown', issuer.revoke(issuer.accessToken({ jti: '1' }))),
    'an admin who was disabled, with a direct-login token from before': bearer(
      'unknown',
      issuer.revoke(issuer.directToken({ sub: 'a-disabled-user' })),
    ),
    'a token that is bound to a certificate': bearer('unknown', issuer.accessToken({ cnf: { 'x5t#S256': 'x' } })),

    'a plain user': bearer('forbidden', issuer.accessToken({ userRole: 'USER' })),
    'a plain user with a direct-login token': bearer('forbidden', issuer.directToken({ userRole: 'USER' })),
    'a plain user of the company': bearer('forbidden', issuer.accessToken({ userRole: 'USER', ...ofAcme })),
    'a user of an unknown role': bearer('forbidden', issuer.accessToken({ userRole: 'OWNER' })),
    'a service token for other services': bearer('forbidden', 'token-for-others'),

    'an analyst of no company': bearer('analyst', issuer.accessToken()),
    'an analyst of no company with a direct-login token': bearer(
      'analyst',
      issuer.directToken({ userRole: 'ANALYST' }),
    ),
    'an admin': bearer('admin', issuer.accessToken({ userRole: 'ADMIN' })),
    'an admin with a direct-login token': bearer('admin', issuer.directToken()),
    'an admin with a bound token and its proof': withProof('admin', {}),
    'a service token': bearer('machine', 'token-of-a-machine'),
    'an analyst of the company': bearer('companyAnalyst', issuer.accessToken(ofAcme)),
    'an admin of the company': bearer('company', issuer.directToken(ofAcme)),
    'a service token of the company': bearer('company', 'token-of-acme'),
    'an analyst of another company': bearer('otherCompanyAnalyst', issuer.accessToken(ofGlobex)),
    'an admin of another company': bearer('otherCompany', issuer.directToken(ofGlobex)),
    'a service token of another company': bearer('otherCompany', 'token-of-globex'),
  };
}
