// JSON over HTTP for the demo: it knows only addresses, as any caller of the platform.

const timeoutMs = 30_000;

export interface Answer<T> {
  status: number;
  headers: Headers;
  body: T;
}

/** Answers whatever the status is; throws when there is no answer, or one that is not JSON. */
export async function callJson<T>(url: string, options: { body?: unknown; bearer?: string } = {}): Promise<Answer<T>> {
  const response = await fetch(url, {
    method: options.body === undefined ? 'GET' : 'POST',
    headers: {
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(options.bearer === undefined ? {} : { authorization: `Bearer ${options.bearer}` }),
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  const text = await response.text();
  try {
    return { status: response.status, headers: response.headers, body: JSON.parse(text) as T };
  } catch {
    throw new Error(`${url} answered ${response.status} with something that is not JSON: ${text.slice(0, 200)}`);
  }
}

/** As `callJson`, but anything other than 2xx is an error that quotes the answer. */
export async function expectJson<T>(url: string, options: { body?: unknown; bearer?: string } = {}): Promise<T> {
  const answer = await callJson<T>(url, options);
  if (answer.status < 200 || answer.status > 299) {
    throw new Error(`${url} answered ${answer.status}: ${JSON.stringify(answer.body).slice(0, 500)}`);
  }
  return answer.body;
}

/** The data of a GraphQL answer; throws the first error. */
export async function expectGraphql<T>(
  url: string,
  bearer: string | undefined,
  query: string,
  variables: Record<string, unknown> = {},
): Promise<T> {
  const answer = await callJson<{ data?: T | null; errors?: { message: string }[]; message?: unknown }>(url, {
    body: { query, variables },
    ...(bearer === undefined ? {} : { bearer }),
  });
  const problem = answer.body.errors?.[0]?.message ?? (answer.body.data ? undefined : answer.body.message);
  if (answer.status !== 200 || problem !== undefined || !answer.body.data) {
    throw new Error(`${url} answered ${answer.status}: ${JSON.stringify(problem ?? answer.body).slice(0, 500)}`);
  }
  return answer.body.data;
}
