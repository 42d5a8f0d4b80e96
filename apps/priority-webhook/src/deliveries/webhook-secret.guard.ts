import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { constantTimeEqual } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyRequest } from 'fastify';
import { AppConfig } from '../app.config.js';

/** Header that carries the shared secret of the profile webhook. */
export const webhookSecretHeader = 'x-webhook-secret';

/** Fails closed. A wrong secret is always refused, a missing one unless WEBHOOK_AUTH is none, which only dev allows. */
@Injectable()
export class WebhookSecretGuard implements CanActivate {
  private readonly secrets: readonly string[];
  private readonly isRequired: boolean;

  constructor(config: AppConfig) {
    this.secrets = config.PROFILE_WEBHOOK_SECRETS;
    this.isRequired = config.WEBHOOK_AUTH === 'required';
  }

  canActivate(context: ExecutionContext): boolean {
    const presented = context.switchToHttp().getRequest<FastifyRequest>().headers[webhookSecretHeader];
    if (presented === undefined && !this.isRequired) return true;
    // Every secret is compared, so that the time taken does not reveal which one was close.
    const matches = this.secrets.filter(
      (secret) => typeof presented === 'string' && constantTimeEqual(presented, secret),
    );
    if (matches.length > 0) return true;
    throw new ServiceError({
      code: 'caller.unauthenticated',
      status: 401,
      message: `A valid ${webhookSecretHeader} header is required`,
    });
  }
}
