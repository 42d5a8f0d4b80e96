import { Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { constantTimeEqual } from '@tradewind/service-kit';
import { ServiceError } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import { webhookSecretHeader } from './completion-webhook.js';

/** Admits callers that know one of the shared secrets. All are compared, so the time does not reveal which one fits. */
@Injectable()
export class WebhookSecretGuard implements CanActivate {
  constructor(private readonly config: AppConfig) {}

  canActivate(context: ExecutionContext): boolean {
    const { headers } = context.switchToHttp().getRequest<{ headers: Record<string, unknown> }>();
    const given = headers[webhookSecretHeader];
    let isKnown = false;
    for (const secret of this.config.WEBHOOK_SECRETS) {
      if (typeof given === 'string' && constantTimeEqual(secret, given)) isKnown = true;
    }
    if (isKnown) return true;
    throw new ServiceError({
      code: 'caller.unauthenticated',
      status: 401,
      message: `The header ${webhookSecretHeader} does not hold the shared secret`,
    });
  }
}
