// Deliveries of webhooks: repeated until the receiver answers 2xx, as the real platform does. The faults `twice`,
// `late`, `out_of_order` and `never` change them.
import { Agent, request } from 'undici';
import type { Faults } from './faults.js';
import type { Journal } from './journal.js';
import type { Ledger } from './ledger.js';
import type { SimulatorSettings } from './settings.js';

export interface Delivery {
  side: 'run' | 'profile';
  /** Run or scrape. */
  id: string;
  target: string;
  correlationId: string | undefined;
  url: string;
  headers: Record<string, string>;
  body: string;
  doNotRetry?: boolean;
}

/** Deliveries on their way at once. More would only wait in the receiver. */
const concurrencyMax = 64;
/** How long an out-of-order webhook waits for another one to overtake it. */
const overtakeWaitMs = 2_000;

export class WebhookDispatcher {
  // undici's own request does less than fetch, which matters when provider and platform share two cores.
  private readonly agent = new Agent();
  private readonly waiting: (() => void)[] = [];
  private readonly timers = new Set<NodeJS.Timeout>();
  private underway = 0;
  private abort = new AbortController();
  private heldBack: { delivery: Delivery; release: () => void }[] = [];
  private open = 0;

  constructor(
    private readonly settings: () => SimulatorSettings,
    private readonly faults: Faults,
    private readonly ledger: Ledger,
    private readonly journal: Journal,
  ) {}

  /** Deliveries that are neither accepted nor given up. */
  get pendingCount(): number {
    return this.open;
  }

  /** Resolves after the first attempt of the delivery, or at once when a fault withholds it. */
  async dispatch(delivery: Delivery): Promise<void> {
    const { side, id, target, correlationId } = delivery;
    const struck = this.faults.strikeEvent(`${side}.webhook`, { target, correlationId, id }, [
      'twice',
      'late',
      'out_of_order',
      'never',
    ]);
    const kinds = struck.map((fault) => fault.kind);
    if (kinds.includes('never')) {
      this.ledger.open({ operation: `${side}.webhook`, ...subjectOf(delivery), outcome: 'suppressed', faults: kinds });
      this.journal.settled(id);
      return;
    }
    this.open += 1;
    const { signal } = this.abort;
    try {
      const lateMs = struck
        .filter((fault) => fault.kind === 'late')
        .reduce((sum, fault) => sum + (fault.delayMs ?? 1_000), 0);
      if (lateMs > 0) await this.wait(lateMs);
      const outOfOrder = struck.find((fault) => fault.kind === 'out_of_order');
      if (outOfOrder) await this.waitToBeOvertaken(delivery, outOfOrder.delayMs ?? overtakeWaitMs);
      const copies = kinds.includes('twice') ? 2 : 1;
      await Promise.all(Array.from({ length: copies }, () => this.deliver(delivery, kinds)));
      if (!outOfOrder) this.releaseHeldBack();
    } finally {
      if (!signal.aborted) this.open -= 1;
    }
  }

  /** Drops all deliveries on their way. */
  reset(): void {
    this.abort.abort();
    this.abort = new AbortController();
    for (const timer of this.timers) clearTimeout(timer);
    this.timers.clear();
    this.heldBack = [];
    this.open = 0;
  }

  close(): void {
    this.reset();
    void this.agent.destroy();
  }

  private async deliver(delivery: Delivery, faults: string[]): Promise<void> {
    const isDelivered = await this.attempt(delivery, 1, faults);
    if (isDelivered) return;
    if (delivery.doNotRetry === true) this.journal.settled(delivery.id);
    else this.repeatLater(delivery, 2, faults);
  }

  private repeatLater(delivery: Delivery, attempt: number, faults: string[]): void {
    const delayMs = this.settings().webhookRetryDelaysMs[attempt - 2];
    if (delayMs === undefined) {
      this.journal.settled(delivery.id);
      return;
    }
    this.open += 1;
    const { signal } = this.abort;
    this.later(delayMs, () => {
      void this.attempt(delivery, attempt, faults).then((isDelivered) => {
        if (signal.aborted) return;
        if (!isDelivered) this.repeatLater(delivery, attempt + 1, faults);
        this.open -= 1;
      });
    });
  }

  private async attempt(delivery: Delivery, attempt: number, faults: string[]): Promise<boolean> {
    const { signal } = this.abort;
    await this.takeTurn();
    const startedMs = performance.now();
    const entry = this.ledger.open({
      operation: `${delivery.side}.webhook`,
      ...subjectOf(delivery),
      attempt,
      ...(faults.length > 0 ? { faults } : {}),
    });
    const status = await this.post(delivery, signal);
    this.endTurn();
    const isDelivered = status !== null && status >= 200 && status < 300;
    if (signal.aborted) return true;
    this.ledger.close(entry, {
      status,
      outcome: isDelivered ? 'delivered' : status === null ? 'no_answer' : 'failed',
      durationMs: Math.round(performance.now() - startedMs),
    });
    if (isDelivered) {
      this.ledger.recordDelivered(delivery.side, delivery.id);
      this.journal.settled(delivery.id);
    }
    return isDelivered;
  }

  /** Resolves with the status once the answer is complete; null without an answer, and for what cannot be sent. */
  private async post({ headers, url, body }: Delivery, signal: AbortSignal): Promise<number | null> {
    const { webhookTimeoutMs } = this.settings();
    try {
      const answer = await request(url, {
        method: 'POST',
        dispatcher: this.agent,
        headers: { ...headers, 'content-type': 'application/json; charset=utf-8' },
        body,
        headersTimeout: webhookTimeoutMs,
        bodyTimeout: webhookTimeoutMs,
        signal,
      });
      await answer.body.dump();
      return answer.statusCode;
    } catch {
      return null;
    }
  }

  private async takeTurn(): Promise<void> {
    if (this.underway >= concurrencyMax) await new Promise<void>((resolve) => this.waiting.push(resolve));
    else this.underway += 1;
  }

  private endTurn(): void {
    const next = this.waiting.shift();
    if (next) next();
    else this.underway -= 1;
  }

  private async waitToBeOvertaken(delivery: Delivery, waitMs: number): Promise<void> {
    await new Promise<void>((resolve) => {
      this.heldBack.push({ delivery, release: resolve });
      this.later(waitMs, resolve);
    });
    this.heldBack = this.heldBack.filter((held) => held.delivery !== delivery);
  }

  private releaseHeldBack(): void {
    for (const held of this.heldBack) held.release();
  }

  private wait(delayMs: number): Promise<void> {
    return new Promise((resolve) => this.later(delayMs, resolve));
  }

  private later(delayMs: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.timers.delete(timer);
      act();
    }, delayMs);
    this.timers.add(timer);
  }
}

function subjectOf(delivery: Delivery) {
  return {
    target: delivery.target,
    ...(delivery.correlationId === undefined ? {} : { correlationId: delivery.correlationId }),
    id: delivery.id,
    url: delivery.url,
  };
}
