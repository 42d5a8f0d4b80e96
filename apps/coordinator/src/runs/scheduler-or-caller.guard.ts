import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { PushAuthenticator } from '@tradewind/cloud-ports';
import { CallerAuth, type CallerIdentity } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyRequest } from 'fastify';

/** The scheduler's token is of the same kind as a push: Google-signed, with an audience and a service account of its own. */
@Injectable()
export class SchedulerAuthenticator {
  constructor(private readonly authenticator: PushAuthenticator | undefined) {}

  async verify(authorization: string): Promise<'accepted' | 'refused' | 'unavailable'> {
    return (await this.authenticator?.verify(authorization)) ?? 'refused';
  }
}

/**
 * Lets Cloud Scheduler pass by its Google-signed token, and every caller of the pipelines. Fails closed: while Google's
 * keys cannot be had, what no caller's token is, is 503, and the scheduler comes again.
 */
@Injectable()
export class SchedulerOrCallerGuard implements CanActivate {
  constructor(
    private readonly callers: CallerAuth,
    private readonly scheduler: SchedulerAuthenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<FastifyRequest & { caller?: CallerIdentity }>();
    const { authorization } = request.headers;
    const verdict = authorization === undefined ? 'refused' : await this.scheduler.verify(authorization);
    if (verdict === 'accepted') return true;
    try {
      request.caller = await this.callers.authenticate(authorization);
      return true;
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
  }
}
