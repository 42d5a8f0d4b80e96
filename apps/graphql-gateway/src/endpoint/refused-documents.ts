// A document that is refused before admission costs one request of the caller's address, like the log-in of an unknown
// user. When the address has no request left, nothing it sends is parsed until its window ends, except documents that
// were answered before.
import { hash } from 'node:crypto';
import { ServiceError } from '@tradewind/shared-types';
import type { GraphQLError } from 'graphql';
import { LRUCache } from 'lru-cache';
import type { Clock } from '../clock.js';
import { requestWindowKeys } from '../rate-limit/limits.js';
import type { LimitsService } from '../rate-limit/limits.service.js';
import { limitReached } from '../rate-limit/limits.errors.js';
import type { RequestContext } from '../request/request-context.js';

/** Codes of documents that Apollo Server refuses before admission. */
const refusalCodes = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'OPERATION_RESOLUTION_FAILURE']);
/** A window's key and end take about 200 bytes. */
const spentMax = 10_000;
/** A hash takes about 200 bytes. */
const answeredMax = 5000;

export class RefusedDocuments {
  /**
   * Windows that are known to be used up; `endsAt` is by `Clock.elapsedMs`. A replica notices this when it takes
   * a request from the window, so good requests need not ask the counters. Addresses beyond the maximum push out those
   * not seen for longest.
   */
  private readonly spent = new LRUCache<string, { limit: number; endsAt: number }>({ max: spentMax });

  /** Hashes of documents that were answered. */
  private readonly answered = new LRUCache<string, true>({ max: answeredMax });

  constructor(
    private readonly limits: LimitsService,
    private readonly clock: Clock,
  ) {}

  /** @param queryHash the SHA-256 hash of a document that was answered, in hexadecimal digits */
  remember(queryHash: string): void {
    this.answered.set(queryHash, true);
  }

  /**
   * @param text of the document
   * @throws 429 while the address is known to have no request left, unless the document was answered before.
   */
  assertMayAsk({ ip }: RequestContext, text: unknown): void {
    const key = keyOf(ip);
    const window = this.spent.get(key);
    if (!window || (typeof text === 'string' && this.answered.has(hash('sha256', text)))) return;
    const leftMs = window.endsAt - this.clock.elapsedMs();
    if (leftMs > 0) throw limitReached('requests', window.limit, Math.ceil(leftMs / 1000));
    this.spent.delete(key);
  }

  /** Charges a document that Apollo Server refuses. If that throws 429 or 503, this becomes the answer. */
  async charge(errors: readonly GraphQLError[], context: RequestContext): Promise<void> {
    const code = errors[0]?.extensions['code'];
    // What was admitted has been charged already.
    if (context.refund || typeof code !== 'string' || !refusalCodes.has(code)) return;
    try {
      await this.chargeRequest(context);
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      context.failed = { failure: error, thrown: error };
    }
  }

  /** Takes one request of the address. @throws 429 when there is none left, 503 when that is not known. */
  async chargeRequest(context: RequestContext): Promise<void> {
    const { isAllowed, state } = await this.limits.takeRequest({ ip: context.ip, userId: null });
    if (isAllowed) return;
    const endsAt = this.clock.elapsedMs() + state.resetSeconds * 1000;
    this.spent.set(keyOf(context.ip), { limit: state.limit, endsAt });
    context.limit = state;
    throw limitReached('requests', state.limit, state.resetSeconds);
  }
}

/** The key of the window that the address has everywhere. */
function keyOf(ip: string): string {
  return requestWindowKeys('production', { ip, userId: null })[0]!;
}
