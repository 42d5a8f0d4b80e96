// Admission of one operation, after it was found valid and before anything is executed: who may do it, whether its
// filters follow the rules, and what it costs. A refusal costs nothing, so charging comes last.
import type { ApolloServerPlugin } from '@apollo/server';
import { ServiceError } from '@tradewind/shared-types';
import type { VariableDefinitionNode } from 'graphql';
import type { ConnectionField } from '../connections/connection-field.port.js';
import type { DirectLoginStrategy } from '../login/direct-login.strategy.js';
import type { Admission, LimitsService } from '../rate-limit/limits.service.js';
import { executedFields, type ExecutedField } from './executed-fields.js';
import { assertNamedVariables } from './named-variable-rule.js';
import type { GraphQLContext, RequestContext } from '../request/request-context.js';
import { assertVariablesDeclared } from './undeclared-variables.js';

/** Checks and prepares an operation and begins to charge it. Throws the caller's faults as GraphQL errors, before anything is charged. */
export type Admit = (
  executed: readonly ExecutedField[],
  context: RequestContext,
  sent: {
    variables: Readonly<Record<string, unknown>> | undefined;
    /** What the operation declares. */
    definitions: readonly VariableDefinitionNode[];
  },
) => Promise<Charge>;

/** What admission charges, under way. */
export interface Charge {
  /** Whether the units will be there as far as this process knows; reading may begin, but nothing may be answered yet. */
  isExpectedToPass: boolean;
  /** Rejects when the units are not there, or cannot be taken. */
  done: Promise<void>;
}

/** On /graphql: connection fields are data calls of the key's user, anything else (introspection) is an ordinary request. */
export function dataAdmission(limits: LimitsService, connectionFields: readonly ConnectionField[]): Admit {
  const byName = new Map(connectionFields.map((field) => [field.name, field]));
  return async (executed, context, { variables, definitions }) => {
    const dataCalls = executed.flatMap((field) => {
      const connection = byName.get(field.name);
      return connection ? [{ field, connection }] : [];
    });
    const cost = dataCalls.length;
    for (const { field, connection } of dataCalls) assertNamedVariables(field, connection.variableArguments, variables);
    if (cost > 0) assertVariablesDeclared(executed, definitions, variables);
    for (const { field, connection } of dataCalls) {
      context.prepared.set(field.responseKey, await connection.prepare(field.args, context));
    }
    const userId = context.user!.id;
    if (cost === 0) return charge(context, limits.takeRequest({ ip: context.ip, userId }), 'requests');
    const isExpectedToPass = limits.expectsDataCalls(userId, cost);
    return charge(context, limits.takeDataCalls(userId, cost), 'data', isExpectedToPass);
  };
}

// What anybody may do on /auth/graphql; the rest needs a logged-in user.
const anonymousFields = new Set(['authenticateUser', 'dataEndpoint', '__typename', '__schema', '__type']);

/** On /auth/graphql: creating a key needs the JWT of a log-in, logging in needs nothing. */
export function authAdmission(limits: LimitsService, directLogin: DirectLoginStrategy): Admit {
  return async (executed, context) => {
    if (executed.some((field) => !anonymousFields.has(field.name))) {
      if (context.request.headers.authorization === undefined) throw missingHeader('the token of authenticateUser');
      context.user = await directLogin.userOf(context.request);
    }
    return charge(context, limits.takeRequest({ ip: context.ip, userId: context.user?.id ?? null }), 'requests');
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

/** Admission as a step of Apollo Server's pipeline. */
export function admissionPlugin(admit: Admit): ApolloServerPlugin<GraphQLContext> {
  return {
    async requestDidStart() {
      return {
        async didResolveOperation(resolved) {
          const { contextValue, schema, document, operation, operationName, request } = resolved;
          const context = contextValue.gateway;
          context.operationName = operationName;
          // No operation of that name: Apollo refuses the request after this hook.
          if (!operation) return;
          const { variables } = request;
          const definitions = operation.variableDefinitions ?? [];
          const executed = executedFields({ schema, document, operation, variables });
          const { done } = await admit(executed, context, { variables, definitions });
          await done;
        },
      };
    },
  };
}

function charge(
  context: RequestContext,
  admission: Promise<Admission>,
  policy: 'data' | 'requests',
  isExpectedToPass = false,
): Charge {
  return { isExpectedToPass, done: admission.then((known) => settle(context, known, policy)) };
}

function settle(context: RequestContext, admission: Admission, policy: 'data' | 'requests'): void {
  context.limit = admission.state;
  if (admission.isAllowed) {
    context.refund = admission.refund;
    return;
  }
  throw limitReached(policy, admission.state.limit, admission.state.resetSeconds);
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
