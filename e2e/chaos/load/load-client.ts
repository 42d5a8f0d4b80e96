// A caller of the platform that writes down every answer.
import type { ServiceName } from '../../src/service-names.js';
import type { Answer, Result } from '../log/log.types.js';

export interface Reply<T> {
  /** Null: no answer. */
  status: number | null;
  body: T | undefined;
}

interface Ask {
  /** Statuses that this request may have; others below 500 are findings. */
  expected: readonly number[];
  json?: unknown;
  form?: Record<string, string>;
  bearer?: string;
  /** Shown in place of the path, when it holds an id. */
  path?: string;
}

/** Longer than the longest wait of a service, 25 s for a trigger. */
const timeoutMs = 35_000;
/** Enough of a body to recognise a stack trace or SQL. */
const keptCharacters = 2_000;

export class LoadClient {
  constructor(
    private readonly url: (service: ServiceName) => string,
    private readonly answered: (answer: Answer) => void,
  ) {}

  async ask<T = Record<string, unknown>>(
    service: ServiceName,
    method: 'GET' | 'POST' | 'PUT' | 'DELETE',
    path: string,
    { expected, json, form, bearer, path: shown = path }: Ask,
  ): Promise<Reply<T>> {
    const atMs = Date.now();
    const request = `${method} ${shown}`;
    try {
      const response = await fetch(this.url(service) + path, {
        method,
        redirect: 'manual',
        headers: {
          ...(json === undefined ? {} : { 'content-type': 'application/json' }),
          ...(bearer === undefined ? {} : { authorization: `Bearer ${bearer}` }),
        },
        ...(json === undefined ? {} : { body: JSON.stringify(json) }),
        ...(form === undefined ? {} : { body: new URLSearchParams(form) }),
        signal: AbortSignal.timeout(timeoutMs),
      });
      const text = await response.text();
      const { status } = response;
      const isExpected = expected.includes(status);
      this.record({ atMs, service, request, status, isExpected, text: status < 300 ? '' : text });
      return { status, body: parsed<T>(text) };
    } catch (error) {
      // fetch has no answer: a broken connection or the time limit. Its cause says which.
      const { cause, message } = error as Error & { cause?: { code?: string } };
      this.record({ atMs, service, request, status: null, isExpected: false, text: cause?.code ?? message });
      return { status: null, body: undefined };
    }
  }

  /** For requests that another client makes. */
  record(answer: Omit<Answer, 'endedMs'>): void {
    this.answered({ ...answer, text: answer.text.slice(0, keptCharacters), endedMs: Date.now() });
  }
}

/** A success, a refusal that had no effect, or neither for certain. */
export function resultOf({ status }: { status: number | null }): Result {
  if (status === null || status >= 500) return 'unknown';
  return status < 300 ? 'ok' : 'refused';
}

/** For what must not be accepted: nothing but these statuses refuses it. */
export function refusedBy(statuses: readonly number[], { status }: { status: number | null }): Result {
  if (status === null || status >= 500) return 'unknown';
  return statuses.includes(status) ? 'refused' : 'ok';
}

function parsed<T>(text: string): T | undefined {
  try {
    // The shapes are those of the outside contract.
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
}
