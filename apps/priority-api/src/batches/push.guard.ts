import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { PushAuthenticator } from '@tradewind/cloud-ports';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '../app.config.js';

/** Admits pushes of our own queue. Fails closed: without the signing keys it answers 503, and the queue sends again. */
@Injectable()
export class PushGuard implements CanActivate {
  constructor(
    private readonly authenticator: PushAuthenticator,
    private readonly config: AppConfig,
  ) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    // For dev only, see PUSH_AUTH: the token may be absent, but a wrong one is refused.
    if (authorization === undefined && this.config.PUSH_AUTH === 'none') return true;
    const verdict = await this.authenticator.verify(authorization);
    if (verdict === 'accepted') return true;
    if (verdict === 'unavailable') {
      throw new ServiceError({
        code: 'dependency.unavailable',
        status: 503,
        message: 'The push cannot be authenticated at the moment',
        retryable: true,
      });
    }
    throw new ServiceError({
      code: authorization === undefined ? 'caller.unauthenticated' : 'caller.forbidden',
      status: authorization === undefined ? 401 : 403,
      message:
        authorization === undefined ? 'A push must carry the token of the queue' : 'This token is not one of the queue',
      ...(authorization === undefined ? { headers: { 'www-authenticate': 'Bearer' } } : {}),
    });
  }
}
