// Who calls which service, and what the services call: one table for the network policies and the routes of the edge.
// The test network.spec.ts compares the rendered manifests with it, in both directions.

/**
 * @typedef {{caller: string, service: string, port: 'http' | 'metrics', path: string}} Call
 */

const call = (caller, service, paths, port = 'http') => paths.map((path) => ({ caller, service, port, path }));

export const services = [
  'identity',
  'graphql-gateway',
  'interactions',
  'priority-api',
  'priority-webhook',
  'coordinator',
];

/**
 * Callers outside the cluster. All of them come through the edge.
 * @type {Call[]}
 */
export const outsideCalls = [
  ...call('people and OAuth clients', 'identity', [
    '/',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource',
    '/oauth/auth',
    '/oauth/token',
    '/oauth/me',
    '/oauth/jwks',
    '/oauth/token/introspection',
    '/oauth/token/revocation',
    '/oauth/reg',
    '/oauth/reg/{clientId}',
    '/oauth/par',
    '/oauth/session/end',
    '/oauth/session/end/confirm',
    '/oauth/session/end/success',
    '/login/{uid}',
    '/login/{uid}/submit',
    '/login/{uid}/code',
    '/login/{uid}/passkey',
    '/login/{uid}/set-up',
    '/login/{uid}/confirm',
    '/login/{uid}/switch',
    '/login/{uid}/abort',
    '/account',
    '/account/signed-in',
    '/account/password',
    '/account/sessions',
    '/account/sessions/end',
    '/account/sessions/end-all',
    '/account/applications',
    '/account/applications/revoke',
    '/account/forgotten',
    '/account/set-password',
    '/account/verify-email',
    '/account/verify-email/send',
    '/account/two-factor',
    '/account/two-factor/app',
    '/account/two-factor/passkey',
    '/account/two-factor/remove',
    '/account/two-factor/codes',
    '/account/sign-out',
    '/auth/login',
    '/auth/me',
  ]),
  ...call('administrators', 'identity', [
    '/admin/users',
    '/admin/users/invite',
    '/admin/users/{user_id}',
    '/admin/users/{user_id}/password-link',
    '/admin/users/{user_id}/role',
    '/admin/users/{user_id}/company',
    '/admin/users/{user_id}/disable',
    '/admin/users/{user_id}/enable',
    '/admin/users/{user_id}/second-factor/reset',
    '/admin/users/{user_id}/sessions',
    '/admin/users/{user_id}/sessions/end-all',
    '/admin/users/{user_id}/sessions/{session_id}/end',
    '/admin/clients',
    '/admin/clients/{client_id}',
    '/admin/clients/{client_id}/resources/allow',
    '/admin/clients/{client_id}/resources/disallow',
    '/admin/clients/{client_id}/rotate-secret',
    '/admin/grants',
    '/admin/grants/{grant_id}/end',
    '/admin/signing-keys',
    '/admin/signing-keys/rotate',
    '/admin/audit',
    '/admin/audit/export',
    '/admin/audit/sign-ins',
  ]),
  ...call('data engineers', 'graphql-gateway', [
    '/auth/graphql',
    '/graphql',
    '/usage',
    '/usage/days',
    '/names',
    '/keys',
    '/keys/{id}',
    '/keys/{id}/audit',
    '/keys/{id}/rotate',
    '/keys/{id}/revoke',
  ]),
  ...call('administrators', 'graphql-gateway', [
    '/admin/keys',
    '/admin/keys/{id}',
    '/admin/keys/{id}/audit',
    '/admin/keys/{id}/revoke',
    '/admin/usage',
    '/admin/usage/days',
  ]),
  ...call('analysts', 'interactions', [
    '/scraper/network/interactions',
    '/scraper/network/interactions/{run_id}',
    '/scraper/network/interactions/{run_id}/items',
    '/scraper/network/abort-run',
  ]),
  ...call('administrators', 'interactions', [
    '/admin/jobs',
    '/admin/jobs/days',
    '/admin/jobs/{job_id}/timeline',
    '/admin/jobs/re-run',
    '/admin/jobs/abort',
    '/admin/webhooks',
    '/admin/webhooks/{webhook_id}',
    '/admin/webhooks/{webhook_id}/replay',
    '/admin/budgets',
    '/admin/budgets/{user_company_id}',
  ]),
  ...call('administrators', 'priority-api', [
    '/admin/attention',
    '/admin/dead-letters',
    '/admin/dead-letters/{id}',
    '/admin/dead-letters/{id}/redrive',
    '/admin/dead-letters/{id}/drop',
    '/admin/profiles/{username}/calls',
  ]),
  ...call('administrators', 'priority-webhook', [
    '/admin/profiles/{username}/deliveries',
    '/admin/profiles/{username}/deliveries/{delivery_id}',
    '/admin/unusable-webhooks',
    '/admin/unusable-webhooks/{id}',
    '/admin/unusable-webhooks/{id}/drop',
  ]),
  ...call('analysts', 'priority-webhook', ['/profiles/{username}/status']),
  ...call('analysts', 'coordinator', [
    '/run',
    '/runs',
    '/runs/{run_id}',
    '/months',
    '/months/{month}/report',
    '/months/{month}/missing',
    '/months/{month}/profiles/{username}',
    '/months/{month}/retry-missing',
  ]),
  ...call('scraping provider', 'interactions', ['/scraper/network/webhook']),
  ...call('scraping provider', 'priority-webhook', ['/webhook/network']),
  ...call('Pub/Sub push', 'priority-api', ['/batch-trigger/']),
  ...call('Cloud Scheduler', 'coordinator', ['/run']),
  ...services.flatMap((service) => call('uptime checks', service, ['/health'])),
];

/**
 * Callers in the cluster: services, by their names, and the monitoring.
 * @type {Call[]}
 */
export const insideCalls = [
  ...call('graphql-gateway', 'identity', [
    '/auth/login',
    '/oauth/jwks',
    '/internal/credential-changes',
    '/internal/access-tokens/check',
  ]),
  ...['interactions', 'priority-api', 'priority-webhook', 'coordinator'].flatMap((caller) =>
    call(caller, 'identity', ['/oauth/jwks', '/auth/me', '/internal/access-tokens/check']),
  ),
  ...call('coordinator', 'priority-api', [
    // The push of the embedded queue.
    '/batch-trigger/',
    '/months/{month}',
    '/months/{month}/profiles/lookup',
    '/months/{month}/profiles/retry',
  ]),
  ...call('coordinator', 'priority-webhook', ['/months/{month}/profiles/lookup']),
  ...call('priority-api', 'priority-webhook', ['/months/{month}/profiles/lookup', '/webhook/network']),
  ...services.flatMap((service) => call('monitoring', service, ['/metrics'], 'metrics')),
];

/** Paths that every service answers and that nobody outside may ask for. */
export const insidePaths = ['/ready', '/metrics', '/docs', '/openapi.json', '/explorer'];

const google = ['interactions', 'priority-api', 'priority-webhook', 'coordinator'];

/** What services call that is none of them: the kind of place, and its ports. */
export const dependencies = [
  { callers: services, to: 'dns', ports: [53] },
  { callers: services, to: 'database', ports: [5432] },
  // Traces.
  { callers: services, to: 'monitoring', ports: [4318] },
  // The scraping provider, Google's interfaces, and clients that are told of a sign-out.
  { callers: ['identity', ...google], to: 'internet', ports: [443] },
  { callers: google, to: 'metadata server', ports: [80, 988] },
];
