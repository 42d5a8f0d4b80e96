import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { PushAuthenticator } from '@tradewind/cloud-ports';
import { CallerAuth, assertBoundToNoCompany, type RequestWithCaller } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';

/**
 * The scheduler's token is of the same kind as a push: Google-signed, with an audience and a service account of its
 * own.
 */
@Injectable()
export class SchedulerAuthenticator {
  constructor(private readonly authenticator: PushAuthenticator | undefined) {}

  async verify(authorization: string): Promise<'accepted' | 'refused' | 'unavailable'> {
    return (await this.authenticator?.verify(authorization)) ?? 'refused';
  }
}

/**
 * Accepts Cloud Scheduler by its Google-signed token, and every caller of the pipelines that is not bound to a company.
 * A run concerns all companies. Fails closed: while Google's keys are unavailable, a token that belongs to no caller is
 * answered 503, and the scheduler tries again.
 */
@Injectable()
export class SchedulerOrCallerGuard implements CanActivate {
  constructor(
    private readonly callers: CallerAuth,
    private readonly scheduler: SchedulerAuthenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RequestWithCaller>();
    const { authorization } = request.headers;
    const verdict = authorization === undefined ? 'refused' : await this.scheduler.verify(authorization);
    if (verdict === 'accepted') {
      request.caller = { kind: 'scheduler' };
      return true;
    }
    try {
      request.caller = await this.callers.authenticate(request);
    } catch (cause) {
      if (verdict === 'refused') throw cause;
      throw new ServiceError({
        code: 'dependency.unavailable',
        status: 503,
        message: 'The call cannot be authenticated at the moment',
        retryable: true,
        cause,
      });
    }
    assertBoundToNoCompany(request.caller);
    return true;
  }
}
