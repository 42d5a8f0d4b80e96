// Who may execute an operation, and what it costs. A refusal costs nothing.
import { ServiceError } from '@tradewind/shared-types';
import type { DirectLoginStrategy } from '../login/direct-login.strategy.js';
import type { Admission, LimitsService } from '../rate-limit/limits.service.js';
import type { RequestContext } from '../request/request-context.js';
import { ChargedDataCalls } from './data-calls.js';

export interface AdmittedOperation {
  /** Names of the root fields that are executed. */
  fields: ReadonlySet<string>;
  /** Variables as they were sent. */
  variables: Readonly<Record<string, unknown>> | undefined;
}

/** Called before an operation is executed. Throws for callers that may not execute it. */
export type Admit = (operation: AdmittedOperation, context: RequestContext) => Promise<void>;

/** On /graphql: connections are data calls of the key's user. Without one, as introspection is, it is a request. */
export function dataAdmission(limits: LimitsService): Admit {
  return async ({ fields, variables }, context) => {
    const userId = context.user!.id;
    if ([...fields].some((name) => !name.startsWith('__'))) {
      context.dataCalls = new ChargedDataCalls(variables, async (cost) =>
        charge(context, await limits.takeDataCalls(userId, cost), 'data'),
      );
    } else {
      charge(context, await limits.takeRequest({ ip: context.ip, userId }), 'requests');
    }
  };
}

// What anybody may do on /auth/graphql; the rest needs a logged-in user.
const anonymousFields = new Set(['authenticateUser', 'dataEndpoint', '__typename', '__schema', '__type']);

/** On /auth/graphql: creating a key needs the JWT of a log-in, logging in needs nothing. */
export function authAdmission(limits: LimitsService, directLogin: DirectLoginStrategy): Admit {
  return async ({ fields }, context) => {
    if ([...fields].some((name) => !anonymousFields.has(name))) {
      if (context.request.headers.authorization === undefined) throw missingHeader('the token of authenticateUser');
      context.user = await directLogin.userOf(context.request);
    }
    const userId = context.user?.id ?? null;
    charge(context, await limits.takeRequest({ ip: context.ip, userId }), 'requests');
  };
}

/** 401 for a request without credentials. */
export function missingHeader(credential: string): ServiceError {
  return new ServiceError({
    code: 'caller.unauthenticated',
    status: 401,
    message: `Authorization header is missing; send "Authorization: Bearer <...>" with ${credential}`,
  });
}

function charge(context: RequestContext, admission: Admission, policy: 'data' | 'requests'): void {
  context.limit = admission.state;
  if (!admission.isAllowed) throw limitReached(policy, admission.state.limit, admission.state.resetSeconds);
  context.refund = admission.refund;
}

/** 429. */
export function limitReached(policy: 'data' | 'requests', limit: number, resetSeconds: number): ServiceError {
  return new ServiceError({
    code: policy === 'data' ? 'rate_limit.data' : 'rate_limit.requests',
    status: 429,
    message:
      policy === 'data'
        ? `The limit of ${limit} data calls per day is reached; it starts anew at 00:00 UTC`
        : `The limit of ${limit} requests per minute is reached; try again in ${resetSeconds} s`,
    retryable: true,
    retryAfterSeconds: resetSeconds,
  });
}
