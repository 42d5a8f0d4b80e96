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
import { CallerAuth, type CallerIdentity } from './caller-auth.js';
import type { CallerAuthConfig } from './caller-settings.js';

type RequestWithCaller = FastifyRequest & { caller?: CallerIdentity };

@Injectable()
export class CallerGuard implements CanActivate {
  constructor(private readonly callerAuth: CallerAuth) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<RequestWithCaller>();
    request.caller = await this.callerAuth.authenticate(request.headers.authorization);
    return true;
  }
}

/** On a controller or a method: only authenticated and allowed callers get through. Needs CallerAuthModule in the app. */
export function Callers(): ClassDecorator & MethodDecorator {
  return applyDecorators(UseGuards(CallerGuard));
}

/** Parameter of a method under `@Callers()`: the CallerIdentity. */
export const Caller = createParamDecorator((_: unknown, context: ExecutionContext): CallerIdentity => {
  const { caller } = context.switchToHttp().getRequest<RequestWithCaller>();
  if (!caller) throw new Error('@Caller() is used on a method without @Callers()');
  return caller;
});

/** Gives the whole app `@Callers()`. Its config must hold `callerAuthSettings`. */
@Global()
@Module({
  providers: [
    {
      provide: CallerAuth,
      inject: [ServiceConfig],
      useFactory: (config: ServiceConfig & CallerAuthConfig) => new CallerAuth(config),
    },
  ],
  exports: [CallerAuth],
})
export class CallerAuthModule {}
