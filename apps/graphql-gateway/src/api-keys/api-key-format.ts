// The format of an API key: `svc_`, 43 base62 characters that hold 256 random bits, and a checksum of 6 characters.
// Only its SHA-256 is stored. The checksum lets the gateway and secret scanners refuse a mistyped or invented key
// without a query.
import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

const apiKeyPrefix = 'svc_';
const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const bodyLength = 43; // 62^43 > 2^256
const checksumLength = 6; // 62^6 > 2^32
const shape = new RegExp(`^${apiKeyPrefix}[0-9A-Za-z]{${bodyLength + checksumLength}}$`);

/** A new key from 256 random bits. */
export function generateApiKey(random: Buffer = randomBytes(32)): string {
  const body = base62(BigInt(`0x${random.toString('hex')}`), bodyLength);
  return `${apiKeyPrefix}${body}${checksum(body)}`;
}

/** Whether the text has the format of a key and a checksum that matches. */
export function isWellFormedApiKey(text: string): boolean {
  if (!shape.test(text)) return false;
  const body = text.slice(apiKeyPrefix.length, -checksumLength);
  return text.endsWith(checksum(body));
}

/** SHA-256 of the whole key: 256 random bits need no salt and no slow hash. */
export function hashApiKey(key: string): Buffer {
  return hash('sha256', key, 'buffer');
}

/** The part that may be shown and logged: prefix and the first four characters. */
export function displayPrefix(key: string): string {
  return key.slice(0, apiKeyPrefix.length + 4);
}

function checksum(body: string): string {
  return base62(BigInt(crc32(body)), checksumLength);
}

function base62(value: bigint, length: number): string {
  let text = '';
  for (let rest = value; rest > 0n; rest /= 62n) text = alphabet[Number(rest % 62n)] + text;
  return text.padStart(length, alphabet[0]);
}
