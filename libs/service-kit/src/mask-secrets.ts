// What a log must never show: values under these names at any depth, and text that looks like a credential.
import { isError } from './is-error.js';

const mask = '***';
// Compared without regard to case, dashes and underscores.
const secretNames = new Set([
  'authorization',
  'proxyauthorization',
  'cookie',
  'setcookie',
  'password',
  'passwd',
  'passphrase',
  'assertion',
  'clientassertion',
  'codeverifier',
  'apikey',
  'xapikey',
  'privatekey',
  'secret',
  'token',
  'jwt',
  'credentials',
]);
const secretEndings = ['password', 'secret', 'token', 'apikey', 'privatekey', 'cookie', 'secrets', 'tokens'];
// Names that end like that of a secret, but are none.
const harmless = new Set(['nextpagetoken', 'pagetoken', 'uniquetoken']);

const textPatterns: [RegExp, string][] = [
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${mask}`],
  [/\beyJ[\w-]{8,}\.[\w-]+\.[\w-]*/g, mask],
  [/\bsvc_[A-Za-z0-9]{20,}/g, `svc_${mask}`],
  [/\b([a-z][a-z0-9+.-]*:\/\/[^\s:/@]*):[^\s@/]+@/gi, `$1:${mask}@`],
  // A part of a path in the form of 32 random bytes, as ids of logins and most tokens have it. Not all have a digit.
  [/(?<=\/)(?=[\w-]*[a-z])(?=[\w-]*[A-Z])[\w-]{43}(?![\w-])/g, mask],
  [
    /([?&](?:token|access_token|refresh_token|id_token_hint|client_secret|password|code|secret|signature|api_key)=)[^&\s"']+/gi,
    `$1${mask}`,
  ],
];
// Deeper than any object worth logging. It also ends cycles.
const depthMax = 8;

export function isSecretName(name: string): boolean {
  const plain = name.toLowerCase().replace(/[-_]/g, '');
  if (harmless.has(plain)) return false;
  return secretNames.has(plain) || secretEndings.some((ending) => plain.endsWith(ending));
}

/** The text with everything that looks like a credential replaced. */
export function maskText(text: string): string {
  let masked = text;
  for (const [pattern, replacement] of textPatterns) masked = masked.replace(pattern, replacement);
  return masked;
}

/** A copy of a log entry without secrets. The logger's serializers handle errors and other class instances. */
export function maskSecrets(entry: Record<string, unknown>): Record<string, unknown> {
  return maskObject(entry, 0);
}

function maskObject(object: Record<string, unknown>, depth: number): Record<string, unknown> {
  const masked: Record<string, unknown> = {};
  for (const [name, value] of Object.entries(object)) {
    masked[name] =
      isSecretName(name) && value !== undefined && value !== null && typeof value !== 'boolean'
        ? mask
        : maskValue(value, depth + 1);
  }
  return masked;
}

function maskValue(value: unknown, depth: number): unknown {
  if (typeof value === 'string') return maskText(value);
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (isError(value)) return value;
  if (depth > depthMax) return '[deep]';
  if (Array.isArray(value)) return value.map((item) => maskValue(item, depth + 1));
  if (Buffer.isBuffer(value)) return `[${value.length} bytes]`;
  if ('toJSON' in value && typeof value.toJSON === 'function') {
    return maskValue((value as { toJSON: () => unknown }).toJSON(), depth + 1);
  }
  return maskObject(value as Record<string, unknown>, depth);
}
