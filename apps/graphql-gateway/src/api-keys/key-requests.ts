// The same request for a key twice, after a double click or a lost answer, gets one key (the draft "Idempotency-Key
// header field" of the IETF). An API key is shown once and stored as a hash. So the answer is kept for some minutes,
// encrypted with the Idempotency-Key of the caller: whoever reads the table has no key.
import { createCipheriv, createDecipheriv, createHash, hkdfSync, randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { BackgroundWork, type Tx } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { Clock } from '../clock.js';
import { KeyRequestsStore } from './key-requests.store.js';

/** How long the same request gets the same key. A retry after a lost answer comes within minutes. */
export const keptMinutes = 10;
const nonceBytes = 12;
const tagBytes = 16;

export interface KeyRequest {
  userId: string;
  idempotencyKey: string;
  /** What is asked for. */
  content: readonly unknown[];
}

@Injectable()
export class KeyRequests {
  constructor(
    private readonly store: KeyRequestsStore,
    private readonly clock: Clock,
    background: BackgroundWork,
  ) {
    const intervalMs = keptMinutes * 60_000;
    background.every({
      name: 'ended key requests',
      intervalMs,
      // Not while the service starts.
      startsAfterMs: intervalMs,
      run: () => this.store.removeEnded(this.clock.now()),
    });
  }

  /**
   * Keeps the API key for the request. A twin of the request waits here until this transaction ends.
   * @returns the API key of the same request before, which is the answer then
   * @throws 422 when the Idempotency-Key came with another content before
   */
  async keep(tx: Tx, { userId, idempotencyKey, content }: KeyRequest, apiKey: string): Promise<string | undefined> {
    const now = this.clock.now();
    const request = { userId, requestHash: sha256(idempotencyKey) };
    const contentHash = sha256(JSON.stringify(content));
    const key = Buffer.from(hkdfSync('sha256', idempotencyKey, userId, 'tradewind key request', 32));
    const endsAt = new Date(now.getTime() + keptMinutes * 60_000);
    if (await this.store.insert(tx, { ...request, contentHash, sealedKey: seal(key, apiKey), endsAt }, now)) {
      return undefined;
    }
    const kept = await this.store.get(tx, request);
    if (!kept.contentHash.equals(contentHash)) {
      throw new ServiceError({
        code: 'request.idempotency_key',
        status: 422,
        message: 'This Idempotency-Key came with another request for a key before; send a new one',
      });
    }
    return open(key, kept.sealedKey);
  }
}

function sha256(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

function seal(key: Buffer, text: string): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', key, nonce);
  return Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()]);
}

/** Throws when somebody changed the row. */
function open(key: Buffer, sealed: Buffer): string {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, nonceBytes), { authTagLength: tagBytes });
  decipher.setAuthTag(sealed.subarray(-tagBytes));
  return Buffer.concat([decipher.update(sealed.subarray(nonceBytes, -tagBytes)), decipher.final()]).toString();
}
