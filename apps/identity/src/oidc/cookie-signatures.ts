// Signs the provider's cookies. The library's own signer (keygrip) computes three HMACs to check a signature, and the
// provider checks a cookie several times in a request, and again in the next one.
import { createHmac, createSecretKey, timingSafeEqual, type KeyObject } from 'node:crypto';
import { LRUCache } from 'lru-cache';

/** Cookies whose signature is remembered, for each key: some 1 MB. Ours are short; a longer one is not remembered. */
const signaturesMax = 4000;
const cookieLengthMax = 100;

export class CookieSignatures {
  private readonly keys: { key: KeyObject; known: LRUCache<string, Buffer> }[];

  /** @param keys the first signs, all verify */
  constructor(keys: readonly string[]) {
    this.keys = keys.map((key) => ({
      key: createSecretKey(key, 'utf8'),
      known: new LRUCache<string, Buffer>({ max: signaturesMax }),
    }));
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
    const { key, known } = this.keys[number]!;
    let signature = known.get(cookie);
    if (signature === undefined) {
      signature = Buffer.from(createHmac('sha256', key).update(cookie).digest('base64url'), 'latin1');
      if (cookie.length <= cookieLengthMax) known.set(cookie, signature);
    }
    return signature;
  }
}
