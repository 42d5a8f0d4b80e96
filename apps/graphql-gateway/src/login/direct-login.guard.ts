// Lets only the JWT of a log-in pass, and charges the request to its user. JWTs that are refused count like refused API
// keys. NOTE: Passport keeps one strategy of a name in a process, so a process has one gateway.
import { Injectable, type ExecutionContext } from '@nestjs/common';
import { GqlExecutionContext } from '@nestjs/graphql';
import { AuthGuard } from '@nestjs/passport';
import { ServiceError } from '@tradewind/shared-types';
import type { FastifyRequest } from 'fastify';
import { RefusedKeysLimit } from '../rate-limit/refused-keys-limit.js';
import { missingHeader } from '../request/failures.js';
import type { GraphQLContext, RequestContext } from '../request/request-context.js';
import type { LoggedInUser } from './direct-login.strategy.js';
import { invalidToken } from './invalid-token.js';

@Injectable()
export class DirectLoginGuard extends AuthGuard('direct-login') {
  constructor(private readonly refusedKeys: RefusedKeysLimit) {
    super();
  }

  override async canActivate(execution: ExecutionContext): Promise<boolean> {
    const context = requestContextOf(execution);
    if (context.request.headers.authorization === undefined) throw missingHeader('the token of authenticateUser');
    await this.refusedKeys.counted(context.ip, async () => super.canActivate(execution));
    const { chargeUser } = context;
    context.chargeUser = null;
    await chargeUser?.();
    return true;
  }

  override getRequest(execution: ExecutionContext): FastifyRequest {
    return requestContextOf(execution).request;
  }

  /** Called by Passport's guard. 502 when the signing keys cannot be read, 401 for any token but one of a log-in. */
  override handleRequest<User>(error: unknown, user: unknown, info: unknown, execution: ExecutionContext): User {
    // The strategy passes the failure to read a key as a reason to refuse the token.
    const cause = error ?? info;
    if (cause instanceof ServiceError) throw cause;
    if (error || !user) throw invalidToken(cause);
    // The strategy has made it.
    requestContextOf(execution).user = user as LoggedInUser;
    return user as User;
  }
}

function requestContextOf(execution: ExecutionContext): RequestContext {
  return GqlExecutionContext.create(execution).getContext<GraphQLContext>().gateway;
}
