// Every API call passes here: faults before, the effect, faults after, and its entry in the ledger.
import { setTimeout as delay } from 'node:timers/promises';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { CallFaultKind, CallOperation, Fault, Faults, Subject } from './faults.js';
import type { Ledger, LedgerEntry } from './ledger.js';

export interface CallAnswer {
  status: number;
  body: unknown;
  headers?: Record<string, string>;
  contentType?: string;
  /** Whether anything was begun. */
  effect?: boolean;
  /** Run or scrape that the call began or was about. */
  id?: string;
  target?: string;
  correlationId?: string | undefined;
}

/** How long a `timeout` fault keeps the caller waiting unless the fault says so, milliseconds. */
const silenceMs = 60_000;

export type Refusal = (kind: 'rate_limited' | 'no_capacity' | 'error', fault: Fault) => CallAnswer;

export class ProviderCalls {
  private readonly silent = new Set<AbortController>();

  constructor(
    private readonly faults: Faults,
    private readonly ledger: Ledger,
  ) {}

  /**
   * @param act has the effect and answers; runs at most once. @param refuse words a refusal in the API's own manner.
   */
  async handle(
    request: FastifyRequest,
    reply: FastifyReply,
    call: { operation: CallOperation; subject: Subject; act: () => CallAnswer | Promise<CallAnswer>; refuse: Refusal },
  ): Promise<FastifyReply> {
    const startedMs = performance.now();
    const struck = this.faults.strikeCall(call.operation, call.subject);
    const { target, correlationId, id } = call.subject;
    const entry = this.ledger.open({
      operation: call.operation,
      ...(target === undefined ? {} : { target }),
      ...(correlationId === undefined ? {} : { correlationId }),
      ...(id === undefined ? {} : { id }),
      ...(struck.length > 0 ? { faults: struck.map((fault) => fault.kind) } : {}),
    });
    const close = (status: number | null) =>
      this.ledger.close(entry, {
        status,
        outcome: outcomeOf(status),
        durationMs: Math.round(performance.now() - startedMs),
      });
    const fault = (kind: CallFaultKind) => struck.find((candidate) => candidate.kind === kind);

    const latencyMs = struck
      .filter((candidate) => candidate.kind === 'latency')
      .reduce((sum, candidate) => sum + (candidate.delayMs ?? 500), 0);
    if (latencyMs > 0) await delay(latencyMs);

    const limited = fault('rate_limited') ?? fault('no_capacity');
    const errorBefore = fault('error_before');
    if (limited || errorBefore) {
      const answer = limited
        ? call.refuse(limited.kind as 'rate_limited' | 'no_capacity', limited)
        : call.refuse('error', errorBefore as Fault);
      close(answer.status);
      return send(reply, answer);
    }
    const silenceBefore = fault('timeout_before');
    if (silenceBefore) return this.staySilent(request, reply, silenceBefore, () => close(null));
    if (fault('reset_before')) return breakConnection(request, reply, () => close(null));

    const answer = await call.act();
    noteEffect(entry, answer);

    const errorAfter = fault('error_after');
    if (errorAfter) {
      const refusal = call.refuse('error', errorAfter);
      close(refusal.status);
      return send(reply, refusal);
    }
    const silenceAfter = fault('timeout_after');
    if (silenceAfter) return this.staySilent(request, reply, silenceAfter, () => close(null));
    if (fault('reset_after')) return breakConnection(request, reply, () => close(null));

    close(answer.status);
    return send(reply, answer);
  }

  /** Ends all silences, so that the server can close. */
  reset(): void {
    for (const controller of this.silent) controller.abort();
  }

  private async staySilent(
    request: FastifyRequest,
    reply: FastifyReply,
    fault: Fault,
    close: () => void,
  ): Promise<FastifyReply> {
    const controller = new AbortController();
    this.silent.add(controller);
    // A caller that gives up ends the silence, too.
    request.raw.socket.once('close', () => controller.abort());
    try {
      await delay(fault.delayMs ?? silenceMs, undefined, { signal: controller.signal });
    } catch {
      // Aborted: by the caller, or by a reset.
    }
    this.silent.delete(controller);
    return breakConnection(request, reply, close);
  }
}

function noteEffect(entry: LedgerEntry, answer: CallAnswer): void {
  entry.effect = answer.effect ?? false;
  if (answer.id !== undefined) entry.id = answer.id;
  if (answer.target !== undefined) entry.target = answer.target;
  if (answer.correlationId !== undefined) entry.correlationId = answer.correlationId;
}

function breakConnection(request: FastifyRequest, reply: FastifyReply, close: () => void): FastifyReply {
  close();
  reply.hijack();
  request.raw.socket.destroy();
  return reply;
}

function send(reply: FastifyReply, answer: CallAnswer): FastifyReply {
  return reply
    .code(answer.status)
    .headers(answer.headers ?? {})
    .type(answer.contentType ?? 'application/json; charset=utf-8')
    .send(typeof answer.body === 'string' ? answer.body : JSON.stringify(answer.body));
}

function outcomeOf(status: number | null): string {
  if (status === null) return 'no_answer';
  if (status < 400) return 'ok';
  return status < 500 ? 'refused' : 'failed';
}
