import {
  applyDecorators,
  Inject,
  Injectable,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceConfig } from '../config/config-class.js';
import { ServiceName } from '../service-name.js';
import { bearerOf, serviceCaller, unauthenticated } from './caller-auth.js';
import { assertBoundToNoCompany } from './company-rule.js';
import { findServiceToken, type ServiceTokenConfig } from './service-tokens.js';

@Injectable()
class ServiceTokenGuard implements CanActivate {
  constructor(
    @Inject(ServiceConfig) private readonly config: ServiceConfig & ServiceTokenConfig,
    private readonly serviceName: ServiceName,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const { authorization } = context.switchToHttp().getRequest<FastifyRequest>().headers;
    const token = findServiceToken(this.config.SERVICE_TOKENS, bearerOf(authorization));
    if (!token) throw unauthenticated('The service token is not known', 'invalid_token');
    assertBoundToNoCompany(serviceCaller(token, this.serviceName.value));
    return true;
  }
}

/**
 * On a controller or a method: only machines with a service token for this service that is bound to no company get
 * through. The app's config must hold `serviceTokenSettings`.
 */
export function ServiceCallers(): ClassDecorator & MethodDecorator {
  return applyDecorators(UseGuards(ServiceTokenGuard));
}
