// The public keys of the identity service by key id. A token with an unknown key id makes the gateway read the JWKS
// again at once, so a rotation fails no one; keys once read stay usable while the identity service is away.
import { createPublicKey, type KeyObject } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { IdentityClient } from './identity-client.js';

// Keys that identity withdraws stop working here after this long.
const refreshAfterMs = 10 * 60_000;
// Invented key ids cannot make the gateway ask more often than this.
const cooldownMs = 1000;

@Injectable()
export class SigningKeysService {
  private keys = new Map<string, KeyObject>();
  private readAt = -Infinity;
  private triedAt = -Infinity;
  private reading: Promise<void> | undefined;

  constructor(
    private readonly identity: IdentityClient,
    private readonly clock: Clock,
  ) {}

  /** The key, undefined when identity has none of that id; throws a 502 when that cannot be found out. */
  async find(keyId: string): Promise<KeyObject | undefined> {
    const now = this.clock.now().getTime();
    const known = this.keys.get(keyId);
    if (known && now - this.readAt < refreshAfterMs) return known;
    if (known) {
      await this.read(now).catch(() => undefined); // The keys at hand serve until identity answers again.
      return this.keys.get(keyId);
    }
    if (this.reading || now - this.triedAt >= cooldownMs || this.readAt === -Infinity) await this.read(now);
    return this.keys.get(keyId);
  }

  private read(now: number): Promise<void> {
    this.triedAt = now;
    this.reading ??= this.identity
      .publicKeys()
      .then(({ keys }) => {
        const usable = keys.filter((key) => key.kid !== undefined && key.kty === 'RSA');
        this.keys = new Map(usable.map((key) => [key.kid!, createPublicKey({ key, format: 'jwk' })]));
        this.readAt = now;
      })
      .finally(() => {
        this.reading = undefined;
      });
    return this.reading;
  }
}
