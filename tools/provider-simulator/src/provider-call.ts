// Every API call passes here: the token, faults before, the effect, faults after, and its entry in the ledger.
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyInstance, FastifyReply, FastifyRequest, RouteGenericInterface } from 'fastify';
import type { CallFaultKind, CallOperation, Fault, Faults, Subject } from './faults.js';
import type { Ledger } from './ledger.js';
import type { SimulatorSettings } from './settings.js';

export interface CallAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  /** Whether anything was begun. */
  effect?: boolean;
  /** Run or scrape that the call began or was about. */
  id?: string;
}

/** How an API words what every call can meet. */
export interface Refusals {
  unauthorised: CallAnswer;
  rateLimited: CallAnswer;
  noCapacity: CallAnswer;
}

export interface CallRoute<Parts extends RouteGenericInterface> {
  method: 'GET' | 'POST';
  url: string;
  operation: CallOperation;
  /** Whom the call is about, as far as it names somebody. */
  subject?: (request: FastifyRequest<Parts>) => Subject | undefined;
  /** Has the effect and answers; runs at most once. */
  act: (request: FastifyRequest<Parts>) => CallAnswer | Promise<CallAnswer>;
}

/** How long a `timeout` fault keeps the caller waiting unless the fault says so, milliseconds. */
const silenceMs = 60_000;

/** An error in the form that both APIs have. */
export function errorAnswer(status: number, type: string, message: string): CallAnswer {
  return { status, body: { error: { type, message } } };
}

export class ProviderCalls {
  private readonly silent = new Set<AbortController>();

  constructor(
    private readonly settings: () => SimulatorSettings,
    private readonly faults: Faults,
    private readonly ledger: Ledger,
  ) {}

  /** Adds operations of one API. `Parts` are its parameters and its query. */
  register<Parts extends RouteGenericInterface>(
    app: FastifyInstance,
    refusals: Refusals,
    routes: readonly CallRoute<Parts>[],
  ): void {
    for (const { method, url, operation, subject, act } of routes) {
      app.route({
        method,
        url,
        handler: async (request: FastifyRequest, reply: FastifyReply) => {
          const { token } = this.settings();
          const isAuthorised = token === undefined || request.headers.authorization === `Bearer ${token}`;
          const typed = request as FastifyRequest<Parts>;
          const answer = await this.answer(typed, refusals, operation, subject?.(typed) ?? {}, () =>
            isAuthorised ? act(typed) : refusals.unauthorised,
          );
          if (answer) return send(reply, answer);
          reply.hijack();
          request.raw.socket.destroy();
          return reply;
        },
      });
    }
  }

  /** Ends all calls that are kept waiting, so that the server can close. */
  reset(): void {
    for (const controller of this.silent) controller.abort();
  }

  /** Null when the connection is to break without an answer. */
  private async answer(
    request: FastifyRequest,
    refusals: Refusals,
    operation: CallOperation,
    subject: Subject,
    act: () => CallAnswer | Promise<CallAnswer>,
  ): Promise<CallAnswer | null> {
    const startedMs = performance.now();
    const struck = this.faults.strikeCall(operation, subject);
    const entry = this.ledger.open({
      operation,
      ...Object.fromEntries(Object.entries(subject).filter(([, value]) => value !== undefined)),
      ...(struck.length > 0 ? { faults: struck.map((fault) => fault.kind) } : {}),
    });
    const answered = (answer: CallAnswer | null) => {
      const status = answer?.status ?? null;
      const durationMs = Math.round(performance.now() - startedMs);
      this.ledger.close(entry, { status, outcome: outcomeOf(status), durationMs });
      return answer;
    };

    for (const { kind, delayMs = 500 } of struck) if (kind === 'latency') await delay(delayMs);
    const limit = struck.find(({ kind }) => kind === 'rate_limited' || kind === 'no_capacity');
    const before = limit ? limited(refusals, limit) : await this.failure(request, struck, 'before');
    if (before !== undefined) return answered(before);

    const answer = await act();
    entry.effect = answer.effect ?? false;
    if (answer.id !== undefined) entry.id = answer.id;
    const after = await this.failure(request, struck, 'after');
    return answered(after === undefined ? answer : after);
  }

  /** How the call fails at this moment: by an answer, or by null without one. Undefined: not at all. */
  private async failure(
    request: FastifyRequest,
    struck: readonly Fault[],
    moment: 'before' | 'after',
  ): Promise<CallAnswer | null | undefined> {
    const fault = (kind: CallFaultKind) => struck.find((candidate) => candidate.kind === kind);
    const error = fault(`error_${moment}`);
    if (error) return errorAnswer(error.status ?? 500, 'internal-error', 'Internal server error');
    const silence = fault(`timeout_${moment}`);
    if (silence) await this.staySilent(request, silence.delayMs ?? silenceMs);
    return silence || fault(`reset_${moment}`) ? null : undefined;
  }

  private async staySilent(request: FastifyRequest, durationMs: number): Promise<void> {
    const controller = new AbortController();
    this.silent.add(controller);
    // A caller that gives up is no longer kept waiting.
    request.raw.socket.once('close', () => controller.abort());
    // Rejects when it is aborted, by the caller or by a reset.
    await delay(durationMs, undefined, { signal: controller.signal }).catch(() => undefined);
    this.silent.delete(controller);
  }
}

function limited({ rateLimited, noCapacity }: Refusals, { kind, retryAfterSeconds: seconds }: Fault): CallAnswer {
  const headers: Record<string, string> = seconds === undefined ? {} : { 'retry-after': String(seconds) };
  return { ...(kind === 'rate_limited' ? rateLimited : noCapacity), headers };
}

function send(reply: FastifyReply, { status, headers = {}, body }: CallAnswer): FastifyReply {
  return reply.code(status).headers(headers).type('application/json; charset=utf-8').send(JSON.stringify(body));
}

function outcomeOf(status: number | null): string {
  if (status === null) return 'no_answer';
  if (status < 400) return 'ok';
  return status < 500 ? 'refused' : 'failed';
}
