// Signs the provider's cookies, in the place of the library's own signer (keygrip), which computes three HMACs to check
// a signature. A cookie is checked several times a request, and comes back with the next one.
import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';

/** Cookies whose signature is known. Some 1 MB when full: ours are short, and a longer one is somebody's experiment. */
const signaturesMax = 4000;
const cookieLengthMax = 100;

export class CookieSignatures {
  private readonly keys: KeyObject[];
  private readonly known: Map<string, Buffer>[];

  /** @param keys the first signs, all verify */
  constructor(keys: readonly string[]) {
    this.keys = keys.map((key) => createSecretKey(key, 'utf8'));
    this.known = keys.map(() => new Map<string, Buffer>());
  }

  sign(cookie: string): string {
    return this.signature(cookie, 0).toString('latin1');
  }

  /** Which key signed the cookie; -1 when none did. */
  index(cookie: string, signature: string): number {
    const given = Buffer.from(signature, 'latin1');
    return this.keys.findIndex((_key, number) => {
      const right = this.signature(cookie, number);
      return given.length === right.length && timingSafeEqual(given, right);
    });
  }

  verify(cookie: string, signature: string): boolean {
    return this.index(cookie, signature) >= 0;
  }

  private signature(cookie: string, number: number): Buffer {
    const known = this.known[number] as Map<string, Buffer>;
    let signature = known.get(cookie);
    if (signature === undefined) {
      const hmac = createHmac('sha256', this.keys[number] as KeyObject);
      signature = Buffer.from(hmac.update(cookie).digest('base64url'), 'latin1');
      if (cookie.length > cookieLengthMax) return signature;
      if (known.size >= signaturesMax) known.delete(known.keys().next().value as string);
      known.set(cookie, signature);
    }
    return signature;
  }
}
