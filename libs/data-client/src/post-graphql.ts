import { DataApiError } from './data-api-error.js';

export interface GraphQLRequest {
  url: string;
  /** Bearer credential, if any. */
  credential?: string;
  query: string;
  variables: Record<string, unknown>;
  fetch: typeof fetch;
  signal?: AbortSignal | undefined;
}

export interface GraphQLAnswer {
  data: Record<string, unknown>;
  headers: Headers;
}

/** One GraphQL request over HTTP. Every answer without data throws a DataApiError. */
export async function postGraphQL({
  url,
  credential,
  query,
  variables,
  fetch,
  signal,
}: GraphQLRequest): Promise<GraphQLAnswer> {
  const response = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      accept: 'application/json',
      ...(credential === undefined ? {} : { authorization: `Bearer ${credential}` }),
    },
    body: JSON.stringify({ query, variables }),
    signal: signal ?? null,
  });
  const { headers, status } = response;
  const body = parse(await response.text());
  const error = body?.errors?.[0];
  if (response.ok && body?.data && !error) return { data: body.data, headers };
  const retryAfter = headers.get('retry-after');
  throw new DataApiError(
    error?.message ?? body?.message ?? `The data API answered ${status}`,
    status,
    error?.extensions?.code,
    retryAfter === null ? undefined : Number(retryAfter),
    headers.get('x-request-id') ?? undefined,
  );
}

interface Body {
  data?: Record<string, unknown> | null;
  errors?: { message: string; extensions?: { code?: string } }[];
  message?: string;
}

function parse(text: string): Body | undefined {
  try {
    return JSON.parse(text) as Body;
  } catch {
    // A proxy's error page, for example.
    return undefined;
  }
}
