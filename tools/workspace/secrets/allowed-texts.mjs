// Texts of the tree that look like a secret and are none, with the files that may have them. The scan fails when a text
// is no longer there.

const madeUp = 'a secret that a test makes up, because a service in production refuses shorter ones';
const pkce = 'the challenge in the examples of RFC 7636';
const alphabet = 'the characters that keys and ids consist of';

export const allowedTexts = [
  { text: 'dG4hJ8sA2fK6lW0qE9rT5yU1', why: madeUp, files: ['apps/identity/test/production.e2e-spec.ts'] },
  { text: 'mP3vX9cQ7rT1yU5wZ8bN2kL6', why: madeUp, files: ['apps/identity/test/production.e2e-spec.ts'] },
  {
    text: 'Xo0LmBqYk2f7Tn4zVr8WcE1s',
    why: madeUp,
    files: [
      'libs/service-kit/src/config/config-class.spec.ts',
      'libs/service-kit/test/open-api.e2e-spec.ts',
      'libs/service-kit/test/secure-transport.e2e-spec.ts',
      'tools/workspace/settings.spec.ts',
    ],
  },
  {
    text: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    why: pkce,
    files: [
      'apps/identity/test/bad-input.e2e-spec.ts',
      'e2e/fuzz/operations/identity.ts',
      'libs/service-kit/src/mask-secrets.spec.ts',
      'libs/service-kit/test/telemetry.e2e-spec.ts',
    ],
  },
  {
    text: '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
    why: alphabet,
    files: ['apps/graphql-gateway/src/api-keys/api-key-format.ts', 'tools/bench/src/api-keys.ts'],
  },
  {
    text: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
    why: alphabet,
    files: ['tools/provider-simulator/src/runs.ts'],
  },
  {
    text: 'local:9242adafa576c83657aa021a5c7e9fd0c60503c2ae5ff8f502cf58b51abf50c0:identity+priority-api+priority-webhook',
    why: 'the sum of the public token of the local Compose file',
    files: ['deploy/compose/compose.yaml'],
  },
  ...[
    'eyJhbGciOiJSUzI1NiJ9.eyJzdWIiOiIxIn0.c2lnbmF0dXJl',
    'eyJhbGciOiJSUzI1NiJ9',
    'svc_0123456789012345678901234567890123456789',
  ].map((text) => ({
    text,
    why: 'the form of a credential, for the test of the mask',
    files: ['libs/service-kit/src/mask-secrets.spec.ts'],
  })),
  ...['secret', 'secret@www.linkedin.com'].map((text) => ({
    text,
    why: 'part of a profile URL that is refused',
    files: ['libs/shared-types/src/network-username.spec.ts'],
  })),
];
