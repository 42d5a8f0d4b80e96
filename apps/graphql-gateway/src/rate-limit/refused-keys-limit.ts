// How many API keys of one network (IPv4 address, IPv6 /64) may be refused in a minute, before keys are looked up at
// all. Each replica counts for itself: the limit protects the database and the audit log, not the keys. Keys that this
// replica knows keep working, so nobody can lock out a neighbour. Networks beyond the maximum push out those not seen
// for longest, which are then let in.
import { Injectable } from '@nestjs/common';
import { clientNetwork } from '@tradewind/service-kit';
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
   * Counts a key that is not known to be good; throws a 429 when too many were refused before.
   * @returns undoes the count, for a key that turns out to be good or cannot be checked
   */
  take(ip: string): () => void {
    const nowMs = this.clock.now().getTime();
    const limit = this.config.REFUSED_KEYS_PER_MINUTE;
    const window = this.window(clientNetwork(ip), nowMs);
    if (window.used >= limit) {
      this.events.emit('limit_reached', { policy: 'refused_keys', user_id: null });
      const resetSeconds = Math.max(1, Math.ceil((window.endsAtMs - nowMs) / 1000));
      throw new LimitReached(
        {
          code: 'rate_limit.refused_keys',
          status: 429,
          message: `Too many API keys from this address were not valid; try again in ${resetSeconds} s`,
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
