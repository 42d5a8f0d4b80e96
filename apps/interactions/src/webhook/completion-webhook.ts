// The completion webhook, `{userId, createdAt, eventType, eventData: {actorRunId}, resource: run}`. Only the run and
// the event are read. The provider is asked for the status of the run.
import { ServiceError } from '@tradewind/shared-types';

/** Header that carries the shared secret; every run is started with it. */
export const webhookSecretHeader = 'x-webhook-secret';

/** Header that carries our own job id, for a webhook that overtakes the answer to the start. */
export const correlationHeader = 'x-correlation-id';

export interface CompletionWebhook {
  runId: string;
  /** Such as `ACTOR.RUN.SUCCEEDED`. */
  eventType: string;
}

/** The provider's names look like this. Longer ones must not grow an index, and PostgreSQL stores no NUL. */
const namePattern = /^[\x21-\x7e]{1,200}$/;

/** Throws 400 and names what is missing. */
export function parseCompletionWebhook(body: unknown): CompletionWebhook {
  const runId = textAt(body, 'resource', 'id') ?? textAt(body, 'eventData', 'actorRunId');
  const eventType = textAt(body, 'eventType');
  const faults: string[] = [];
  if (runId === undefined) faults.push('resource.id must be the id of a run');
  if (eventType === undefined) faults.push('eventType must name an event');
  if (runId === undefined || eventType === undefined) {
    throw new ServiceError({ code: 'request.invalid', status: 400, message: faults });
  }
  return { runId, eventType };
}

/** The header's value when it is a job id; anything else counts as absent. */
export function parseCorrelationId(header: unknown): string | undefined {
  if (typeof header !== 'string') return undefined;
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(header) ? header.toLowerCase() : undefined;
}

function textAt(value: unknown, ...path: string[]): string | undefined {
  let found = value;
  for (const key of path) {
    if (typeof found !== 'object' || found === null) return undefined;
    found = (found as Record<string, unknown>)[key];
  }
  return typeof found === 'string' && namePattern.test(found) ? found : undefined;
}
