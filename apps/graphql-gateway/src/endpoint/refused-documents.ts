// What a document costs that is refused before anyone knows what it asks for: one request of the caller's address, as the
// log-in of somebody unknown does. Once the address has none left, nothing it sends is parsed until its window ends.
import type { ApolloServerPlugin } from '@apollo/server';
import { ServiceError } from '@tradewind/shared-types';
import type { Clock } from '../clock.js';
import { requestWindowKeys } from '../rate-limit/limits.js';
import type { LimitsService } from '../rate-limit/limits.service.js';
import { limitReached } from './admission.plugin.js';
import type { GraphQLContext, RequestContext } from '../request/request-context.js';

/** Codes of documents that Apollo Server refuses before admission. */
const refusalCodes = new Set(['GRAPHQL_PARSE_FAILED', 'GRAPHQL_VALIDATION_FAILED', 'OPERATION_RESOLUTION_FAILURE']);
/** A window's key and end take about 200 bytes. */
const spentMax = 10_000;

export class RefusedDocuments {
  /**
   * Windows that are known to be spent; `endsAt` is in milliseconds since 1970. A replica learns of a window when it
   * takes from it, so that no good request has to ask the counters.
   */
  private readonly spent = new Map<string, { limit: number; endsAt: number }>();

  constructor(
    private readonly limits: LimitsService,
    private readonly clock: Clock,
  ) {}

  /** @throws 429 while the address is known to have no request left. */
  assertMayAsk({ ip }: RequestContext): void {
    const key = keyOf(ip);
    const window = this.spent.get(key);
    if (!window) return;
    const leftMs = window.endsAt - this.clock.now().getTime();
    if (leftMs > 0) throw limitReached('requests', window.limit, Math.ceil(leftMs / 1000));
    this.spent.delete(key);
  }

  /** Takes one request of the address. @throws 429 when there is none left, 503 when that is not known. */
  async charge(context: RequestContext): Promise<void> {
    const { isAllowed, state } = await this.limits.takeRequest({ ip: context.ip, userId: null });
    if (isAllowed) return;
    if (this.spent.size >= spentMax) this.spent.clear();
    const endsAt = this.clock.now().getTime() + state.resetSeconds * 1000;
    this.spent.set(keyOf(context.ip), { limit: state.limit, endsAt });
    context.limit = state;
    throw limitReached('requests', state.limit, state.resetSeconds);
  }

  readonly plugin: ApolloServerPlugin<GraphQLContext> = {
    requestDidStart: async () => ({
      didEncounterErrors: async ({ errors, contextValue }) => {
        const context = contextValue.gateway;
        const code = errors[0]?.extensions['code'];
        // What was admitted has been charged already.
        if (context.refund || typeof code !== 'string' || !refusalCodes.has(code)) return;
        try {
          await this.charge(context);
        } catch (error) {
          if (!(error instanceof ServiceError)) throw error;
          context.failed = { failure: error, thrown: error };
        }
      },
    }),
  };
}

/** The key of the window that the address has everywhere. */
function keyOf(ip: string): string {
  return requestWindowKeys('production', { ip, userId: null })[0]!;
}
