// Who may execute an operation, and what it costs. A refusal costs nothing.
import { limitReached } from '../rate-limit/limits.errors.js';
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

/** On /auth/graphql: everything is a request. Creating a key is charged by its guard, which finds out the user. */
export function authAdmission(limits: LimitsService): Admit {
  return async ({ fields }, context) => {
    const take = async () =>
      charge(context, await limits.takeRequest({ ip: context.ip, userId: context.user?.id ?? null }), 'requests');
    if (fields.has('createApiKey')) context.chargeUser = take;
    else await take();
  };
}

function charge(context: RequestContext, admission: Admission, policy: 'data' | 'requests'): void {
  context.limit = admission.state;
  if (!admission.isAllowed) throw limitReached(policy, admission.state.limit, admission.state.resetSeconds);
  context.refund = admission.refund;
}
