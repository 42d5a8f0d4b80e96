// JSON over HTTP for the demo, which knows only addresses, like any caller of the platform.

/** What is answered; anything other than 2xx is an error that quotes the answer. Without a body it is a GET. */
export async function callJson<T>(url: string, body?: unknown): Promise<T> {
  const post = { method: 'POST', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) };
  const answer = await fetch(url, { ...(body === undefined ? {} : post), signal: AbortSignal.timeout(30_000) });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${url} answered ${answer.status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as T;
}
