// Runs and their states: READY, RUNNING, then an end; an abort adds ABORTING before it.
import { randomBytes } from 'node:crypto';
import type { Faults } from './faults.js';
import type { Item, ItemCounts } from './item.types.js';
import { countItems, datasetItems, sumItems, targetsOf } from './items.js';
import type { Journal, Remembered, RunRecord } from './journal.js';
import type { Ledger } from './ledger.js';
import { Random } from './random.js';
import { headersOf, payloadOf } from './run-body.js';
import type { AdHocWebhook, Run, RunLimits } from './run.types.js';
import type { SimulatorSettings } from './settings.js';
import type { WebhookDispatcher } from './webhooks.js';

type FinalStatus = 'SUCCEEDED' | 'FAILED' | 'TIMED-OUT' | 'ABORTED';

/** Price of one item, US dollars; about what the real actor charges for a post, a comment or a reaction. */
const itemPriceUsd = 0.002;
/** Price of a start, US dollars; all that a run costs which brings no item. */
const startPriceUsd = 0.001;

/** How a run will go, drawn when it starts. */
interface Fate {
  status: FinalStatus;
  neverEnds: boolean;
  slowMs: number;
}

const eventNames: Record<FinalStatus, string> = {
  SUCCEEDED: 'ACTOR.RUN.SUCCEEDED',
  FAILED: 'ACTOR.RUN.FAILED',
  'TIMED-OUT': 'ACTOR.RUN.TIMED_OUT',
  ABORTED: 'ACTOR.RUN.ABORTED',
};

const messages: Record<FinalStatus, string> = {
  SUCCEEDED: 'Actor succeeded',
  FAILED: 'The Actor process failed with exit code 1',
  'TIMED-OUT': 'The run took longer than its timeout',
  ABORTED: 'Actor was aborted',
};

export class Runs {
  private readonly byId = new Map<string, Run>();
  private readonly byDataset = new Map<string, Run>();
  private readonly byInputStore = new Map<string, Run>();
  private readonly finished: string[] = [];
  private active = 0;
  /** The dataset read last: pages of one dataset are usually read in a row. */
  private cached: { runId: string; items: unknown[] } | undefined;

  constructor(
    private readonly settings: () => SimulatorSettings,
    private readonly faults: Faults,
    private readonly ledger: Ledger,
    private readonly webhooks: WebhookDispatcher,
    private readonly journal: Journal,
  ) {}

  get activeCount(): number {
    return this.active;
  }

  hasRoom(): boolean {
    return this.active < this.settings().maxConcurrentRuns;
  }

  start(actorId: string, input: Item, webhooks: AdHocWebhook[], limits: RunLimits = {}): Run {
    const run: Run = {
      id: newId(),
      actorId,
      status: 'READY',
      statusMessage: null,
      startedAt: new Date(),
      finishedAt: null,
      datasetId: newId(),
      inputStoreId: newId(),
      requestQueueId: newId(),
      buildId: 'simulatedBuild001',
      input,
      ...subjectOfStart(input, webhooks),
      webhooks,
      limits,
      dataset: { isEmpty: false, hasBrokenItems: false },
      costUsd: startPriceUsd,
      costDelayMs: 0,
      timer: undefined,
      onEnd: [],
    };
    this.admit(run);
    this.live(run, this.fate(run));
    this.journal.runStarted(run);
    void Promise.all(this.send(run, 'ACTOR.RUN.CREATED'));
    return run;
  }

  /** Continues what an earlier process of the simulator left: ends runs that last, delivers webhooks that are due. */
  resume(remembered: readonly Remembered<RunRecord>[]): void {
    for (const { record, end, isSettled } of remembered) {
      const run: Run = {
        ...record,
        limits: record.limits ?? {},
        startedAt: new Date(record.startedAt),
        status: 'RUNNING',
        statusMessage: null,
        finishedAt: null,
        costUsd: end?.costUsd ?? startPriceUsd,
        costDelayMs: 0,
        timer: undefined,
        onEnd: [],
      };
      this.admit(run);
      if (!end) {
        this.live(run, { status: 'SUCCEEDED', neverEnds: false, slowMs: 0 });
        continue;
      }
      // The journal holds what `finish` wrote.
      const status = end.status as FinalStatus;
      this.finish(run, status, end.at);
      if (isSettled) this.ledger.recordDelivered('run', run.id);
      else void Promise.all(this.send(run, eventNames[status]));
    }
  }

  /** Ends a run early, for the fault `before_answer`. Resolves when its webhook has been tried. */
  async endNow(run: Run): Promise<void> {
    clearTimeout(run.timer);
    await this.end(run, 'SUCCEEDED');
  }

  /** Begins an abort. False when the run had already ended or was being aborted. */
  abort(run: Run): boolean {
    if (run.status !== 'READY' && run.status !== 'RUNNING') return false;
    clearTimeout(run.timer);
    run.status = 'ABORTING';
    run.timer = setTimeout(() => void this.end(run, 'ABORTED'), this.settings().abortDurationMs);
    return true;
  }

  find(id: string): Run | undefined {
    return this.byId.get(id);
  }

  findByDataset(datasetId: string): Run | undefined {
    return this.byDataset.get(datasetId);
  }

  findByInputStore(storeId: string): Run | undefined {
    return this.byInputStore.get(storeId);
  }

  /** Oldest first. */
  list(actorId: string, startedAfter = new Date(0)): Run[] {
    return [...this.byId.values()].filter((run) => run.actorId === actorId && run.startedAt >= startedAfter);
  }

  /** What the dataset holds: everything once the run has succeeded, half of it after an abort or a time-out. */
  items(run: Run): unknown[] {
    if (run.finishedAt === null || run.status === 'FAILED') return [];
    if (this.cached?.runId !== run.id) {
      const { seed, networkUrl, oddItems } = this.settings();
      const all = datasetItems(run.input, { seed, networkUrl, oddItems, now: run.startedAt, ...run.dataset }).slice(
        0,
        itemsMax(run.limits),
      );
      this.cached = {
        runId: run.id,
        items: run.status === 'SUCCEEDED' ? all : all.slice(0, Math.floor(all.length / 2)),
      };
    }
    return this.cached.items;
  }

  itemCounts(run: Run): ItemCounts {
    return countItems(this.items(run));
  }

  /** Resolves when the run has ended, or after that time. */
  async waitForEnd(run: Run, timeoutMs: number): Promise<void> {
    if (run.finishedAt !== null || timeoutMs <= 0) return;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      run.onEnd.push(() => {
        clearTimeout(timer);
        resolve();
      });
    });
  }

  reset(): void {
    for (const run of this.byId.values()) {
      clearTimeout(run.timer);
      for (const tell of run.onEnd) tell();
    }
    this.byId.clear();
    this.byDataset.clear();
    this.byInputStore.clear();
    this.finished.length = 0;
    this.active = 0;
    this.cached = undefined;
  }

  private admit(run: Run): void {
    this.byId.set(run.id, run);
    this.byDataset.set(run.datasetId, run);
    this.byInputStore.set(run.inputStoreId, run);
    this.active += 1;
    const { id, target, correlationId, startedAt: at } = run;
    this.ledger.recordStart('run', { id, target, correlationId, at });
  }

  /** Decides at the start how the run will go. */
  private fate(run: Run): Fate {
    const subject = { target: run.target, correlationId: run.correlationId, id: run.id };
    const struck = this.faults.strikeEvent('run', subject);
    const has = (kind: string) => struck.some((fault) => fault.kind === kind);
    run.dataset = {
      isEmpty: has('empty') || run.target.includes('private'),
      hasBrokenItems: this.faults.strikeEvent('dataset', subject).length > 0,
    };
    const lateCost = struck.find((fault) => fault.kind === 'late_cost');
    run.costDelayMs = lateCost ? (lateCost.delayMs ?? 5_000) : 0;
    if (has('no_cost')) run.costUsd = run.costDelayMs = undefined;
    return {
      status: has('fail') ? 'FAILED' : has('time_out') ? 'TIMED-OUT' : 'SUCCEEDED',
      neverEnds: has('never_ends'),
      slowMs: struck.filter((fault) => fault.kind === 'slow').reduce((sum, fault) => sum + (fault.delayMs ?? 5_000), 0),
    };
  }

  /** READY for a tenth of its duration, then RUNNING until its end. */
  private live(run: Run, { status, neverEnds, slowMs }: Fate): void {
    const { seed, runDurationMs } = this.settings();
    const random = new Random(`${seed}/duration/${run.target}`);
    const durationMs = random.integer(runDurationMs.min, runDurationMs.max) + slowMs;
    const readyMs = Math.floor(durationMs / 10);
    run.timer = setTimeout(() => {
      run.status = 'RUNNING';
      if (neverEnds) return;
      run.timer = setTimeout(() => void this.end(run, status), durationMs - readyMs);
    }, readyMs);
  }

  private async end(run: Run, status: FinalStatus): Promise<void> {
    if (run.finishedAt !== null || !this.byId.has(run.id)) return;
    const now = new Date();
    this.finish(run, status, now);
    const items = this.itemCounts(run);
    const costUsd = Math.round((startPriceUsd + items.total * itemPriceUsd) * 1e6) / 1e6;
    this.bill(run, costUsd);
    this.journal.ended(run.id, status, now, costUsd);
    this.ledger.open({
      operation: 'run.ended',
      target: run.target,
      ...(run.correlationId === undefined ? {} : { correlationId: run.correlationId }),
      id: run.id,
      outcome: status,
      items,
      itemSums: sumItems(this.items(run)),
      costUsd,
    });
    for (const tell of run.onEnd.splice(0)) tell();
    await Promise.all(this.send(run, eventNames[status]));
  }

  /** Shows the whole cost of a run that has ended, at once or later. */
  private bill(run: Run, costUsd: number): void {
    if (run.costDelayMs === undefined) return;
    if (run.costDelayMs === 0) run.costUsd = costUsd;
    else run.timer = setTimeout(() => (run.costUsd = costUsd), run.costDelayMs);
  }

  private finish(run: Run, status: FinalStatus, at: Date): void {
    run.status = status;
    run.statusMessage = messages[status];
    run.finishedAt = at;
    this.active -= 1;
    this.ledger.recordEnd('run', run.id, status, at);
    this.forgetOldest(run);
  }

  private forgetOldest(ended: Run): void {
    this.finished.push(ended.id);
    if (this.finished.length <= this.settings().finishedMax) return;
    const oldest = this.byId.get(this.finished.shift() ?? '');
    if (!oldest) return;
    this.byId.delete(oldest.id);
    this.byDataset.delete(oldest.datasetId);
    this.byInputStore.delete(oldest.inputStoreId);
  }

  private send(run: Run, eventType: string): Promise<void>[] {
    return run.webhooks
      .filter((webhook) => webhook.eventTypes.includes(eventType))
      .map((webhook) =>
        this.webhooks.dispatch({
          side: 'run',
          id: run.id,
          target: run.target,
          correlationId: run.correlationId,
          url: webhook.requestUrl,
          headers: {
            'x-apify-webhook': 'true',
            'x-apify-webhook-dispatch-id': newId(),
            'x-apify-request-origin': 'WEBHOOK',
            ...headersOf(webhook.headersTemplate),
          },
          body: payloadOf(run, eventType, webhook.payloadTemplate),
          ...(webhook.doNotRetry === undefined ? {} : { doNotRetry: webhook.doNotRetry }),
        }),
      );
  }
}

/** Items after which a run has used up what its start allows. */
function itemsMax({ maxItems = Infinity, maxTotalChargeUsd = Infinity }: RunLimits): number {
  return Math.min(maxItems, Math.max(0, Math.floor((maxTotalChargeUsd - startPriceUsd) / itemPriceUsd)));
}

/** The target of a start, before there is a run. */
export function subjectOfStart(
  input: Item,
  webhooks: readonly AdHocWebhook[],
): { target: string; correlationId: string | undefined } {
  const own = input['correlationId'];
  return {
    target: targetsOf(input)[0]?.handle ?? '',
    correlationId: typeof own === 'string' ? own : webhooks[0]?.idempotencyKey,
  };
}

const idAlphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789';

/**
 * Ids are random and do not depend on the seed, because a restarted simulator must not repeat ids that stores already
 * have.
 */
export function newId(): string {
  return Array.from(randomBytes(17), (byte) => idAlphabet[byte % idAlphabet.length]).join('');
}
