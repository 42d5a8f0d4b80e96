// Every request takes a unit of the minute of its user, or of the address of a machine, before its input is read. One
// that fails gives the unit back, as on the GraphQL endpoints.
import { Injectable, type CallHandler, type ExecutionContext, type NestInterceptor } from '@nestjs/common';
import type { RequestWithCaller } from '@tradewind/service-kit';
import type { FastifyReply } from 'fastify';
import { catchError, from, type Observable, switchMap, throwError } from 'rxjs';
import { limitHeaders } from '../rate-limit/limit-headers.js';
import { limitReached } from '../rate-limit/limits.errors.js';
import type { Caller } from '../rate-limit/limits.js';
import { LimitsService } from '../rate-limit/limits.service.js';

@Injectable()
export class RequestUnits implements NestInterceptor {
  constructor(private readonly limits: LimitsService) {}

  async intercept(context: ExecutionContext, next: CallHandler): Promise<Observable<unknown>> {
    const reply = context.switchToHttp().getResponse<FastifyReply>();
    const of = limitedCaller(context.switchToHttp().getRequest<RequestWithCaller>());
    const { isAllowed, state, refund } = await this.limits.takeRequest(of);
    void reply.headers(limitHeaders(state));
    if (!isAllowed) throw limitReached('requests', state.limit, state.resetSeconds);
    const giveBack = async (): Promise<void> => {
      await refund();
      void reply.headers(limitHeaders(await this.limits.look('requests', of)));
    };
    return next.handle().pipe(
      catchError((error: unknown) =>
        // If the counters are away, the caller loses the unit and still gets the answer.
        from(giveBack().catch(() => undefined)).pipe(switchMap(() => throwError(() => error))),
      ),
    );
  }
}

/** Whose windows a request counts in. */
export function limitedCaller({ ip, caller }: RequestWithCaller): Caller {
  return { ip, userId: caller?.kind === 'user' ? caller.userId : null };
}
