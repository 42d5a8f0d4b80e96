// Signatures of cookies and CSRF tokens: HMAC-SHA256 with the cookie keys. The library's own signer of cookies,
// keygrip, would compute three HMACs for a check, and the provider checks several cookies in a request.
import { createHmac } from 'node:crypto';
import { constantTimeEqual } from '@tradewind/service-kit';

export class Signatures {
  /** @param keys the first signs, all verify */
  constructor(private readonly keys: readonly string[]) {}

  sign(text: string): string {
    return hmac(this.keys[0]!, text);
  }

  /** Which key signed the text; -1 when none did. */
  index(text: string, signature: string): number {
    return this.keys.findIndex((key) => constantTimeEqual(hmac(key, text), signature));
  }

  verify(text: string, signature: string): boolean {
    return this.index(text, signature) >= 0;
  }
}

const hmac = (key: string, text: string): string => createHmac('sha256', key).update(text).digest('base64url');
