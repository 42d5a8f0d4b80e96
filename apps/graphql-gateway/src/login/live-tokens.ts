// Whether an access token is good at this moment, as identity says: a signature does not say that the token was revoked
// or its user disabled. An answer is trusted for KEY_CACHE_MS. While identity is away a token is good until it expires,
// because a key that was stolen must be revoked all the same. What outlives a token asks identity itself, and fails.
import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { unauthenticated } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import { AppEvents } from '../events.js';
import { IdentityClient } from './identity-client.js';

/** About 5 MB. */
const tokensMax = 20_000;
/** Milliseconds. A list of keys does not wait for an identity that hangs. */
const waitMsMax = 1000;

@Injectable()
export class LiveTokens {
  private readonly answers: LRUCache<string, Promise<boolean>> | undefined;

  constructor(
    config: AppConfig,
    private readonly identity: IdentityClient,
    private readonly events: AppEvents,
    clock: Clock,
  ) {
    const { KEY_CACHE_MS: ttl } = config;
    if (ttl > 0)
      this.answers = new LRUCache({ max: tokensMax, ttl, ttlResolution: 0, perf: { now: () => clock.elapsedMs() } });
  }

  /** Throws 401 for a token that identity no longer accepts. Its signature has been checked. */
  async assertGood(token: string): Promise<void> {
    const hash = createHash('sha256').update(token).digest('base64');
    let answer = this.answers?.get(hash);
    if (!answer) {
      answer = this.ask(token);
      this.answers?.set(hash, answer);
    }
    if (!(await answer)) throw unauthenticated('The token is no longer valid', 'invalid_token');
  }

  private async ask(token: string): Promise<boolean> {
    try {
      await this.identity.assertActive(token, waitMsMax);
      return true;
    } catch (error) {
      if (error instanceof ServiceError && error.status === 401) return false;
      this.events.emit('token_unchecked', { reason: error instanceof Error ? error.message : String(error) });
      return true;
    }
  }
}
