// How many API keys and JWTs of one network (IPv4 address, IPv6 /64) may be refused in a minute. Further ones are
// refused without a check. This protects the database, the audit log and identity, not the keys, so each replica counts
// on its own. Keys that a replica knows keep working: nobody can lock out a neighbour. Beyond the maximum of networks,
// the one not seen for longest is forgotten.
import { Injectable } from '@nestjs/common';
import { clientNetwork } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { LRUCache } from 'lru-cache';
import { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import { AppEvents } from '../events.js';
import { LimitReached } from './limits.errors.js';

const windowSeconds = 60;
/** About 5 MB. */
const networksMax = 20_000;

interface Window {
  endsAtMs: number;
  used: number;
}

@Injectable()
export class RefusedKeysLimit {
  private readonly windows = new LRUCache<string, Window>({ max: networksMax });

  constructor(
    private readonly config: AppConfig,
    private readonly clock: Clock,
    private readonly events: AppEvents,
  ) {}

  /**
   * Runs the check of a credential that is not known to be good, and counts it when the check throws a 401.
   * @throws 429 without a check when too many were refused before.
   */
  async counted<T>(ip: string, check: () => Promise<T>): Promise<T> {
    // Counted before the check and given back after it, so that a burst of bad credentials cannot slip through.
    const giveBack = this.take(ip);
    try {
      const checked = await check();
      giveBack();
      return checked;
    } catch (error) {
      if (!(error instanceof ServiceError) || error.status !== 401) giveBack();
      throw error;
    }
  }

  private take(ip: string): () => void {
    const nowMs = this.clock.elapsedMs();
    const limit = this.config.REFUSED_KEYS_PER_MINUTE;
    const window = this.window(clientNetwork(ip), nowMs);
    if (window.used >= limit) {
      this.events.emit('limit_reached', { policy: 'refused_keys', user_id: null });
      const resetSeconds = Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000));
      throw new LimitReached(
        {
          code: 'rate_limit.refused_keys',
          status: 429,
          message: `Too many API keys or tokens from this address were not valid; try again in ${resetSeconds} s`,
          retryable: true,
          retryAfterSeconds: resetSeconds,
        },
        { policy: 'refused_keys', limit, windowSeconds, remaining: 0, resetSeconds },
      );
    }
    window.used += 1;
    return () => {
      window.used -= 1;
    };
  }

  private window(network: string, nowMs: number): Window {
    const known = this.windows.get(network);
    if (known && nowMs < known.endsAtMs) return known;
    const window = { endsAtMs: nowMs + windowSeconds * 1000, used: 0 };
    this.windows.set(network, window);
    return window;
  }
}
