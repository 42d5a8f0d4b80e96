import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { PushAuthenticator } from '@tradewind/cloud-ports';
import { CallerAuth } from '@tradewind/service-kit';
import type { FastifyRequest } from 'fastify';

/** The scheduler's token is of the same kind as a push: Google-signed, with an audience and a service account of its own. */
@Injectable()
export class SchedulerAuthenticator {
  constructor(private readonly authenticator: PushAuthenticator | undefined) {}

  async accepts(authorization: string): Promise<boolean> {
    return (await this.authenticator?.verify(authorization)) === 'accepted';
  }
}

/** Lets Cloud Scheduler pass by its Google-signed token, and every caller of the pipelines. Fails closed. */
@Injectable()
export class SchedulerOrCallerGuard implements CanActivate {
  constructor(
    private readonly callers: CallerAuth,
    private readonly scheduler: SchedulerAuthenticator,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    if (authorization !== undefined && (await this.scheduler.accepts(authorization))) return true;
    await this.callers.authenticate(authorization);
    return true;
  }
}
