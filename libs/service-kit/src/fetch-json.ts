/** The response had an error status, was not JSON, or did not come. */
export class FetchJsonError extends Error {
  constructor(
    message: string,
    /** Undefined when there was no response: refused, reset, timed out. */
    readonly status: number | undefined,
    readonly body: unknown,
    options?: ErrorOptions & { retryAfterSeconds?: number | undefined },
  ) {
    super(message, options);
    this.name = 'FetchJsonError';
    this.retryAfterSeconds = options?.retryAfterSeconds;
  }
  /** `Retry-After` in seconds; undefined when it is missing or not a number of seconds. */
  readonly retryAfterSeconds: number | undefined;
  /** Whether the same call can succeed later: no response, 408, 429 or 5xx. */
  get isTransient(): boolean {
    return this.status === undefined || this.status === 408 || this.status === 429 || this.status >= 500;
  }
}

export interface FetchJsonOptions {
  /** For the whole exchange, the body included. */
  timeoutMs: number;
  method?: string;
  headers?: Record<string, string>;
  /** Sent as JSON. */
  body?: unknown;
  signal?: AbortSignal;
}

/** One HTTP call that expects JSON, without a retry. Throws FetchJsonError for every status from 400. */
export async function fetchJson<T = unknown>(
  url: string | URL,
  options: FetchJsonOptions,
): Promise<{ status: number; headers: Headers; body: T }> {
  const timeout = AbortSignal.timeout(options.timeoutMs);
  const target = `${options.method ?? 'GET'} ${new URL(url).origin}${new URL(url).pathname}`;
  let response: Response;
  let text: string;
  try {
    response = await fetch(url, {
      method: options.method ?? 'GET',
      headers: {
        accept: 'application/json',
        ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
        ...options.headers,
      },
      body: options.body === undefined ? null : JSON.stringify(options.body),
      signal: options.signal ? AbortSignal.any([timeout, options.signal]) : timeout,
    });
    text = await response.text();
  } catch (cause) {
    throw new FetchJsonError(`${target} gave no answer`, undefined, undefined, { cause });
  }
  const body = parse(text);
  if (response.status >= 400) {
    throw new FetchJsonError(`${target} answered ${response.status}`, response.status, body ?? text, {
      retryAfterSeconds: secondsOf(response.headers.get('retry-after')),
    });
  }
  if (body === undefined && text !== '')
    throw new FetchJsonError(`${target} did not answer JSON`, response.status, text);
  // The caller names the shape that it expects, and checks it where that matters.
  return { status: response.status, headers: response.headers, body: body as T };
}

function secondsOf(header: string | null): number | undefined {
  return header !== null && /^\d{1,9}$/.test(header) ? Number(header) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
