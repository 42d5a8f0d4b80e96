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
import { Logger } from '../logger.js';
import { ServiceName } from '../service-name.js';
import { CallerAuth, type CallerIdentity } from './caller-auth.js';
import type { CallerAuthConfig } from './caller-settings.js';
import { assertAdministers, userOf } from './administration-rule.js';
import { assertBoundToNoCompany, callerId } from './company-rule.js';
import { IssuerKeys } from './issuer-keys.js';
import { IssuerTokens } from './issuer-tokens.js';
import { LiveTokens } from './live-tokens.js';

/** Who makes a change. Every change of an administration API and of an operator command is stored with its author. */
export interface ChangeAuthor {
  /** `sub` of a user, name of a service token, or `operator` for a command; null when nobody is known. */
  by: string | null;
  ip: string | null;
}

/** The author of what operator commands change. */
export const byOperator: ChangeAuthor = { by: 'operator', ip: null };

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

/** As CallerGuard, for callers who also meet the rules, each of which throws for others. */
function lettingIn(...rules: ((caller: CallerIdentity) => void)[]): ClassDecorator & MethodDecorator {
  @Injectable()
  class RulesGuard extends CallerGuard {
    override async canActivate(context: ExecutionContext): Promise<boolean> {
      await super.canActivate(context);
      for (const rule of rules) rule(context.switchToHttp().getRequest<RequestWithCaller>().caller!);
      return true;
    }
  }
  return applyDecorators(UseGuards(RulesGuard));
}

/**
 * On a controller or a method that concerns all companies: lets in authenticated and allowed callers that are bound to
 * no company. Needs a CallerAuth in the app: CallerAuthModule, or one of its own.
 */
export function Callers(): ClassDecorator & MethodDecorator {
  return lettingIn(assertBoundToNoCompany);
}

/**
 * As `@Callers()`, for things that belong to one company: it also lets in callers that are bound to a company. Every
 * method must ask `assertActsFor` or `companyScopeOf` what the caller may see and change.
 */
export function CompanyCallers(): ClassDecorator & MethodDecorator {
  return lettingIn();
}

/** Administration of what concerns all companies: an ADMIN or a service token, bound to no company. */
export function Administrators(): ClassDecorator & MethodDecorator {
  return lettingIn(assertAdministers, assertBoundToNoCompany);
}

/**
 * As `@Administrators()`, for things that belong to one company: it also lets in those that are bound to a company.
 * Every method must ask `assertActsFor` or `companyScopeOf` what the caller may see and change.
 */
export function CompanyAdministrators(): ClassDecorator & MethodDecorator {
  return lettingIn(assertAdministers);
}

/** What users do with things of their own: lets in users of every role that may call, and no machine. */
export function Users(): ClassDecorator & MethodDecorator {
  return lettingIn(userOf);
}

/** Parameter of a method under one of these decorators: the CallerIdentity. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): CallerIdentity => {
  const { caller } = context.switchToHttp().getRequest<RequestWithCaller>();
  if (!caller) throw new Error('@Caller() is used on a method without @Callers() or another of these decorators');
  return caller;
});

/** Likewise: who makes a change, as it is stored with the change. */
export const Author = createParamDecorator((_: unknown, context: ExecutionContext): ChangeAuthor => {
  const { caller, ip } = context.switchToHttp().getRequest<RequestWithCaller>();
  if (!caller) throw new Error('@Author() is used on a method without @Callers() or another of these decorators');
  return { by: callerId(caller), ip };
});

/** Makes an app one of the pipelines: gives it CallerAuth. Its config must hold `callerAuthSettings`. */
@Global()
@Module({
  providers: [
    {
      provide: CallerAuth,
      inject: [ServiceConfig, ServiceName, Logger],
      useFactory: (config: ServiceConfig & CallerAuthConfig, { value: serviceName }: ServiceName, logger: Logger) => {
        const identityUrl = config.IDENTITY_URL ?? config.OAUTH_ISSUER;
        return new CallerAuth({
          serviceName,
          SERVICE_TOKENS: config.SERVICE_TOKENS,
          roles: ['ANALYST', 'ADMIN'],
          isOpen: config.CALLER_AUTH === 'none',
          userTokens: new IssuerTokens({
            issuer: config.OAUTH_ISSUER,
            keys: new IssuerKeys({ url: `${identityUrl}/oauth/jwks` }),
            audience: config.PIPELINES_AUDIENCE,
            directLogin: true,
          }),
          goodTokens: new LiveTokens({
            identity: { url: identityUrl, serviceToken: config.SERVICE_TOKEN },
            trustedMs: config.TOKEN_CHECK_MS,
            onUnchecked: (reason) => logger.warn({ reason }, 'identity did not say whether a token is still good'),
          }),
        });
      },
    },
  ],
  exports: [CallerAuth],
})
export class CallerAuthModule {}
