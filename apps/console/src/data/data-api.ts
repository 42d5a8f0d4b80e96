// Asks the data API with an API key, as a program of the user would. Every page is one data call of the day.
import { ApiError } from '../api/api';
import type { DataRequest } from './request';

export interface Page {
  nodes: Record<string, unknown>[];
  totalCount: number;
  /** Undefined on the last page. */
  nextCursor: string | undefined;
}

/** What is left of the day after an answer. */
export interface CallsLeft {
  limit: number;
  remaining: number;
  resetsAtMs: number;
}

export class DataApiError extends ApiError {
  constructor(
    status: number,
    message: string,
    requestId: string | undefined,
    retryAfterSeconds: number | undefined,
    /** `extensions.code` of a GraphQL error. */
    readonly code: string | undefined,
    readonly callsLeft: CallsLeft | undefined,
  ) {
    super(status, message, requestId, retryAfterSeconds);
  }
}

interface Body {
  data?: Record<string, Connection> | null;
  errors?: { message: string; extensions?: { code?: string } }[];
  message?: string;
}

interface Connection {
  totalCount: number;
  edges: { node: Record<string, unknown> }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}

const noAnswer = 'The data API does not answer.';

/** One page. Throws a DataApiError for a refusal, and for a service that does not answer (status 0). */
export async function askDataApi(
  url: string,
  key: string,
  connection: string,
  { query, variables }: DataRequest,
): Promise<{ page: Page; callsLeft: CallsLeft | undefined }> {
  const { response, body } = await send(url, key, { query, variables });
  const error = body?.errors?.[0];
  const answer = body?.data?.[connection];
  const callsLeft = callsLeftOf(response.headers);
  if (!response.ok || error || !answer) {
    const retryAfter = Number(response.headers.get('retry-after') ?? NaN);
    throw new DataApiError(
      response.status,
      error?.message ?? body?.message ?? `The data API answered ${response.status}.`,
      response.headers.get('x-request-id') ?? undefined,
      Number.isFinite(retryAfter) ? retryAfter : undefined,
      error?.extensions?.code,
      callsLeft,
    );
  }
  const { edges, totalCount, pageInfo } = answer;
  const nextCursor = pageInfo.hasNextPage ? (pageInfo.endCursor ?? undefined) : undefined;
  return { page: { nodes: edges.map(({ node }) => node), totalCount, nextCursor }, callsLeft };
}

/** Whether the data API takes the key, which costs no data call. Throws as `askDataApi` for any other failure. */
export async function isGoodKey(url: string, key: string): Promise<boolean> {
  const { response, body } = await send(url, key, { query: '{ __typename }', variables: {} });
  if (response.ok) return true;
  if (response.status === 401) return false;
  const message = body?.errors?.[0]?.message ?? body?.message ?? `The data API answered ${response.status}.`;
  throw new ApiError(response.status, message, response.headers.get('x-request-id') ?? undefined, undefined);
}

async function send(
  url: string,
  key: string,
  request: DataRequest,
): Promise<{ response: Response; body: Body | undefined }> {
  let response: Response;
  try {
    response = await fetch(url, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify(request),
      cache: 'no-store',
      credentials: 'omit',
    });
  } catch {
    // Browsers say no more about it.
    throw new ApiError(0, noAnswer, undefined, undefined);
  }
  // A proxy may answer with something else.
  const body = (await response.json().catch(() => undefined)) as Body | undefined;
  return { response, body };
}

/** The headers of an answer report the limit that governs it; undefined unless that is the day's. */
export function callsLeftOf(headers: Headers): CallsLeft | undefined {
  if (!headers.get('ratelimit-policy')?.startsWith('"data"')) return undefined;
  const [limit, remaining, seconds] = ['limit', 'remaining', 'reset'].map((name) =>
    Number(headers.get(`x-ratelimit-${name}`) ?? NaN),
  );
  if (![limit, remaining, seconds].every(Number.isFinite)) return undefined;
  // For the person's clock on the wall.
  const resetsAt = new Date();
  resetsAt.setSeconds(resetsAt.getSeconds() + seconds!);
  return { limit: limit!, remaining: remaining!, resetsAtMs: resetsAt.getTime() };
}
