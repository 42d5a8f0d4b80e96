// What counts as bought twice. One kind is a correlation id with two starts. The other is found by the target, because
// a mistaken second start may have a new id. A profile is started again for the same intention, while an earlier start
// is under way or after it has succeeded. Only a start that has failed may be followed by another.
//
// The intention is what a correlation id says without its random part (`scrapeCorrelationId` in shared-types): the
// month, for a forced run its id as well. Ids of another form are all of one intention.
//
// For runs only the correlation id counts: two companies may scrape the same handle at the same time, and the provider
// cannot tell them apart.
import { increment } from './increment.js';

/** Entries that a summary lists at most. */
const listedMax = 1000;

const pipelineCorrelationId = /^(\d{4}-\d{2})\.[^.]+(\..+)?$/;

export type Side = 'run' | 'profile';

export type StartedTwice =
  | { reason: 'same_correlation_id'; correlationId: string; count: number }
  /** `count` starts of one target; `overlaps` began while another was under way, the other repeats after a success. */
  | {
      reason: 'same_intention';
      target: string;
      intention: string;
      count: number;
      overlaps: number;
      correlationIds: string[];
    };

export interface StartSummary {
  /** Runs or scrapes that were really begun. */
  started: number;
  active: number;
  /** Final status -> number. */
  ended: Record<string, number>;
  /** Distinct targets among the started. */
  targets: number;
  /** What was bought twice; empty when all is well. At most 1,000 are listed. */
  startedTwice: StartedTwice[];
  /** Started whose receiver has not yet accepted a webhook with 2xx. */
  undelivered: number;
}

interface Start {
  id: string;
  correlationId: string | undefined;
  at: Date;
  end?: { status: string; at: Date };
}

export class StartCounters {
  private started = 0;
  private readonly ended = new Map<string, number>();
  private readonly targets = new Set<string>();
  private readonly byCorrelation = new Map<string, number>();
  private readonly byIntention = new Map<string, { target: string; intention: string; starts: Start[] }>();
  private readonly byId = new Map<string, Start>();
  private readonly undelivered = new Set<string>();

  constructor(private readonly side: Side) {}

  start({ id, target, correlationId, at }: Omit<Start, 'end'> & { target: string }): void {
    this.started += 1;
    this.targets.add(target);
    if (correlationId !== undefined) increment(this.byCorrelation, correlationId);
    this.undelivered.add(id);
    if (this.side === 'run') return;
    const start: Start = { id, correlationId, at };
    this.byId.set(id, start);
    const intention = intentionOf(correlationId);
    const key = JSON.stringify([target.toLowerCase(), intention]);
    const known = this.byIntention.get(key);
    if (known) known.starts.push(start);
    else this.byIntention.set(key, { target, intention, starts: [start] });
  }

  end(id: string, status: string, at: Date): void {
    increment(this.ended, status);
    const start = this.byId.get(id);
    if (start) start.end = { status, at };
  }

  delivered(id: string): void {
    this.undelivered.delete(id);
  }

  summary(): StartSummary {
    const endedCount = [...this.ended.values()].reduce((sum, count) => sum + count, 0);
    return {
      started: this.started,
      active: this.started - endedCount,
      ended: Object.fromEntries(this.ended),
      targets: this.targets.size,
      startedTwice: [...this.sameCorrelationId(), ...this.sameIntention()].slice(0, listedMax),
      undelivered: this.undelivered.size,
    };
  }

  private sameCorrelationId(): StartedTwice[] {
    return [...this.byCorrelation]
      .filter(([, count]) => count > 1)
      .map(([correlationId, count]) => ({ reason: 'same_correlation_id', correlationId, count }));
  }

  private sameIntention(): StartedTwice[] {
    return [...this.byIntention.values()].flatMap(({ target, intention, starts }) => {
      const correlationIds = [...new Set(starts.map(({ correlationId }) => correlationId ?? ''))];
      // Starts under one correlation id are listed above already.
      if (starts.length < 2 || (correlationIds.length === 1 && correlationIds[0] !== '')) return [];
      const inOrder = [...starts].sort((one, other) => one.at.getTime() - other.at.getTime());
      const repeats = inOrder.filter((start, index) =>
        inOrder.slice(0, index).some((earlier) => !hadFailed(earlier, start.at)),
      );
      if (repeats.length === 0) return [];
      const overlaps = repeats.filter((start) =>
        inOrder.some((other) => other !== start && other.at <= start.at && isUnderWay(other, start.at)),
      );
      return [
        {
          reason: 'same_intention',
          target,
          intention,
          count: starts.length,
          overlaps: overlaps.length,
          correlationIds,
        },
      ];
    });
  }
}

function hadFailed({ end }: Start, at: Date): boolean {
  return end !== undefined && end.at <= at && end.status !== 'SUCCEEDED';
}

function isUnderWay({ end }: Start, at: Date): boolean {
  return end === undefined || end.at > at;
}

function intentionOf(correlationId: string | undefined): string {
  const [, month = '', forced = ''] = pipelineCorrelationId.exec(correlationId ?? '') ?? [];
  return month + forced;
}
