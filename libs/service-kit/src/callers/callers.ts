import {
  applyDecorators,
  createParamDecorator,
  Global,
  Injectable,
  Module,
  UseGuards,
  type CanActivate,
  type ExecutionContext,
} from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { ServiceConfig } from '../config/config-class.js';
import { ServiceName } from '../service-name.js';
import { CallerAuth, type CallerIdentity } from './caller-auth.js';
import type { CallerAuthConfig } from './caller-settings.js';
import { assertBoundToNoCompany } from './company-rule.js';

export type RequestWithCaller = FastifyRequest & { caller?: CallerIdentity };

/** Lets in every caller whose credential is good, bound to a company or not. */
@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly callerAuth: CallerAuth) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RequestWithCaller>();
    request.caller = await this.callerAuth.authenticate(request);
    return true;
  }
}

@Injectable()
class UnboundCallerGuard extends CallerGuard {
  override async canActivate(context: ExecutionContext): Promise<boolean> {
    await super.canActivate(context);
    assertBoundToNoCompany(context.switchToHttp().getRequest<RequestWithCaller>().caller!);
    return true;
  }
}

/**
 * On a controller or a method that concerns all companies: lets in authenticated and allowed callers that are bound to
 * no company. Needs CallerAuthModule in the app.
 */
export function Callers(): ClassDecorator & MethodDecorator {
  return applyDecorators(UseGuards(UnboundCallerGuard));
}

/**
 * As `@Callers()`, for things that belong to one company: it also lets in callers that are bound to a company. Every
 * method must ask `assertActsFor` or `companyScopeOf` what the caller may see and change.
 */
export function CompanyCallers(): ClassDecorator & MethodDecorator {
  return applyDecorators(UseGuards(CallerGuard));
}

/** Parameter of a method under `@Callers()` or `@CompanyCallers()`: the CallerIdentity. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): CallerIdentity => {
  const { caller } = context.switchToHttp().getRequest<RequestWithCaller>();
  if (!caller) throw new Error('@Caller() is used on a method without @Callers() or @CompanyCallers()');
  return caller;
});

/** Gives the whole app `@Callers()`. Its config must hold `callerAuthSettings`. */
@Global()
@Module({
  providers: [
    {
      provide: CallerAuth,
      inject: [ServiceConfig, ServiceName],
      useFactory: (config: ServiceConfig & CallerAuthConfig, { value }: ServiceName) => new CallerAuth(config, value),
    },
  ],
  exports: [CallerAuth],
})
export class CallerAuthModule {}
