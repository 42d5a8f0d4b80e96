// Encryption at rest of the few values the service must be able to read back: private signing keys and client secrets.
// AES-256-GCM with a random 96-bit nonce for each value. The context (what the value is and whose) is additional data,
// so a sealed value that is copied to another row does not open.
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto';

const version = 'v1';

export class SealedText {
  private readonly keys: Buffer[];

  /** @param secrets the first seals, all open; each of any length, stretched to a key by HKDF-SHA256 */
  constructor(secrets: readonly string[]) {
    if (secrets.length === 0) throw new Error('at least one storage key is needed');
    this.keys = secrets.map((secret) => Buffer.from(hkdfSync('sha256', secret, '', 'tradewind identity at rest', 32)));
  }

  seal(text: string, context: string): string {
    const nonce = randomBytes(12);
    const cipher = createCipheriv('aes-256-gcm', this.keys[0] as Buffer, nonce);
    cipher.setAAD(Buffer.from(context));
    const sealed = Buffer.concat([cipher.update(text, 'utf8'), cipher.final()]);
    return [version, ...[nonce, sealed, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
  }

  /** Throws when no key opens the value: a storage key was removed too early, or somebody changed the row. */
  open(value: string, context: string): string {
    const [prefix, nonce = '', sealed = '', tag = ''] = value.split('.');
    if (prefix !== version) throw new Error('not a sealed value');
    for (const key of this.keys) {
      try {
        const decipher = createDecipheriv('aes-256-gcm', key, Buffer.from(nonce, 'base64url'));
        decipher.setAAD(Buffer.from(context));
        decipher.setAuthTag(Buffer.from(tag, 'base64url'));
        return Buffer.concat([decipher.update(Buffer.from(sealed, 'base64url')), decipher.final()]).toString('utf8');
      } catch {
        // Sealed with another key; after the last one the loop ends in an error.
      }
    }
    throw new Error(`no storage key opens ${context}`);
  }
}
