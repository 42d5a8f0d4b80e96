// The services, as their OpenAPI documents describe them. Every failure is an ApiError with the sentence of the
// service.
import createClient from 'openapi-fetch';
import type { Session } from '../session/session';
import type { ServiceName, Settings } from '../settings';
import type { paths as CoordinatorPaths } from './coordinator.generated';
import type { paths as GatewayPaths } from './graphql-gateway.generated';
import type { paths as IdentityPaths } from './identity.generated';
import type { paths as InteractionsPaths } from './interactions.generated';
import type { paths as PriorityApiPaths } from './priority-api.generated';
import type { paths as PriorityWebhookPaths } from './priority-webhook.generated';

/** What a service refused, or why it was not reached (status 0). */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly requestId: string | undefined,
    readonly retryAfterSeconds: number | undefined,
  ) {
    super(message);
  }
}

export type Api = ReturnType<typeof createApi>;

export function createApi(session: Session, { services }: Settings) {
  const of = (service: ServiceName) => ({
    baseUrl: services[service],
    fetch: (request: Request) => session.fetch(service, request),
  });
  return {
    identity: createClient<IdentityPaths>(of('identity')),
    gateway: createClient<GatewayPaths>(of('graphql-gateway')),
    interactions: createClient<InteractionsPaths>(of('interactions')),
    coordinator: createClient<CoordinatorPaths>(of('coordinator')),
    priorityApi: createClient<PriorityApiPaths>(of('priority-api')),
    priorityWebhook: createClient<PriorityWebhookPaths>(of('priority-webhook')),
  };
}

/** The body of an answer; throws an ApiError for a refusal and for a service that does not answer. */
export async function bodyOf<T>(call: Promise<{ data?: T; error?: unknown; response: Response }>): Promise<T> {
  let answer: Awaited<typeof call>;
  try {
    answer = await call;
  } catch (error) {
    // Browsers say no more about it.
    if (error instanceof TypeError) throw new ApiError(0, 'The service does not answer.', undefined, undefined);
    throw error;
  }
  const { data, error, response } = answer;
  if (!response.ok) {
    const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
    throw new ApiError(
      response.status,
      sentenceOf(error),
      response.headers.get('x-request-id') ?? undefined,
      Number.isFinite(retryAfter) ? retryAfter : undefined,
    );
  }
  // An answer without a body has type `undefined` in the document too.
  return data as T;
}

function sentenceOf(error: unknown): string {
  const { message } = (error ?? {}) as { message?: string | string[] };
  return [message].flat().filter(Boolean).join('. ') || 'The service refused this.';
}
