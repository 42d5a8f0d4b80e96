import { createHash, randomBytes } from 'node:crypto';
import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { hasData, restoreAdvice } from './data-folder.js';

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

const secretBytes = 32;

type StoredSecrets = Record<(typeof secretNames)[number], string>;

/**
 * Reads the secrets of the data folder; makes those that are missing.
 * @throws a sentence when the file is damaged, or lacks a secret without which the data are worthless
 */
export function localSecrets(dataDir: string): LocalSecrets {
  const file = join(dataDir, 'secrets.json');
  const known = readSecrets(file, dataDir);
  // The others may change: sessions and calls that are under way fail once.
  if (known.identityEncryptionKey === undefined && hasData(dataDir))
    throw new Error(`${file} lacks identityEncryptionKey, which encrypts data of identity. ${restoreAdvice(dataDir)}`);
  const stored = Object.fromEntries(
    secretNames.map((name) => [name, known[name] ?? randomBytes(secretBytes).toString('base64url')]),
  ) as StoredSecrets;
  writeFileSync(`${file}.new`, `${JSON.stringify(stored, null, 2)}\n`, { mode: 0o600 });
  renameSync(`${file}.new`, file);
  const sum = createHash('sha256').update(stored.serviceToken).digest('hex');
  const services = ['identity', 'identity-admin', 'interactions', 'priority-api', 'priority-webhook', 'coordinator'];
  return { ...stored, serviceTokenEntry: `local-stack:${sum}:${services.join('+')}` };
}

function readSecrets(file: string, dataDir: string): Partial<StoredSecrets> {
  if (!existsSync(file)) return {};
  const content = parsed(readFileSync(file, 'utf8'));
  if (typeof content !== 'object' || content === null)
    throw new Error(`${file} is damaged: it is no JSON object. ${restoreAdvice(dataDir)}`);
  for (const name of secretNames) {
    const value = (content as Record<string, unknown>)[name];
    const isSecret = typeof value === 'string' && Buffer.from(value, 'base64url').length === secretBytes;
    if (value !== undefined && !isSecret)
      throw new Error(`${file} is damaged: ${name} is not ${secretBytes} bytes in base64. ${restoreAdvice(dataDir)}`);
  }
  return content;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
