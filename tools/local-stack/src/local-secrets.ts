import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Secrets of one local platform: made at its first start, kept in its data folder, the same for every service. */
export interface LocalSecrets {
  /** Encrypts signing keys and client secrets at rest; 32 bytes, base64. */
  identityEncryptionKey: string;
  /** Signs the browser cookies of identity. */
  identityCookieKey: string;
  /** Bearer of the embedded queue's push. */
  queuePushToken: string;
  /** Header secret of the provider's completion webhook to interactions. */
  interactionsWebhookSecret: string;
  /** Header secret of the provider's profile webhook to priority-webhook. */
  profileWebhookSecret: string;
  /** Token of the services' calls to each other. */
  serviceToken: string;
  /** Its entry in SERVICE_TOKENS of the services that are called. */
  serviceTokenEntry: string;
}

const secretNames = [
  'identityEncryptionKey',
  'identityCookieKey',
  'queuePushToken',
  'interactionsWebhookSecret',
  'profileWebhookSecret',
  'serviceToken',
] as const satisfies readonly (keyof LocalSecrets)[];

type StoredSecrets = Record<(typeof secretNames)[number], string>;

/** Reads the secrets of the data folder; makes those that are missing. */
export function localSecrets(dataDir: string): LocalSecrets {
  const file = join(dataDir, 'secrets.json');
  const known = existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Partial<StoredSecrets>) : {};
  const stored = Object.fromEntries(
    secretNames.map((name) => [name, known[name] ?? randomBytes(32).toString('base64url')]),
  ) as StoredSecrets;
  writeFileSync(file, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
  const sum = createHash('sha256').update(stored.serviceToken).digest('hex');
  const services = ['identity', 'interactions', 'priority-api', 'priority-webhook', 'coordinator'];
  return { ...stored, serviceTokenEntry: `local-stack:${sum}:${services.join('+')}` };
}
