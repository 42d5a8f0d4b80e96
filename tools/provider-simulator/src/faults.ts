// Misbehaviour on request. A fault says where it applies (`on`), what happens (`kind`), to whom (`target`) and how
// often (`times`, `skip`, `probability`). The README defines these words.
import { Random } from './random.js';

const callOperations = [
  'run.start',
  'run.get',
  'run.abort',
  'run.list',
  'run.input',
  'dataset.items',
  'profile.start',
  'profile.list',
  'profile.get',
] as const;
export type CallOperation = (typeof callOperations)[number];

/** Apply to an API call. "before" has no effect; "after" has its effect, but the caller cannot know it. */
const callFaultKinds = [
  'latency',
  'rate_limited',
  'no_capacity',
  'error_before',
  'error_after',
  'timeout_before',
  'timeout_after',
  'reset_before',
  'reset_after',
] as const;
export type CallFaultKind = (typeof callFaultKinds)[number];

const kindsByPlace = {
  /** The work itself. */
  run: ['fail', 'time_out', 'empty', 'slow', 'never_ends', 'late_cost', 'no_cost'],
  dataset: ['broken_item'],
  profile: ['fail', 'slow', 'never_ends'],
  /** The delivery of the result. */
  'run.webhook': ['twice', 'late', 'out_of_order', 'never', 'before_answer'],
  'profile.webhook': ['twice', 'late', 'out_of_order', 'never', 'before_answer'],
} as const;
type EventPlace = keyof typeof kindsByPlace;
export type EventFaultKind = (typeof kindsByPlace)[EventPlace][number];

export interface Fault {
  /** An API operation, `call` for all of them, or an event; `webhook` is both `run.webhook` and `profile.webhook`. */
  on: CallOperation | EventPlace | 'call' | 'webhook';
  kind: CallFaultKind | EventFaultKind;
  /** Handles, usernames, correlation ids, run or scrape ids; any of them. Absent: everybody. */
  target?: string | string[];
  /** How often it applies before it is used up. Absent: without limit. */
  times?: number;
  /** Matching occasions that are skipped first. */
  skip?: number;
  /** Chance of each matching occasion, 0 to 1. */
  probability?: number;
  /** Length of `latency`, `slow`, `late_cost`, `late`, `out_of_order` (longest wait) and the `timeout` kinds. */
  delayMs?: number;
  /** Status of `error_before` and `error_after`; default 500. */
  status?: number;
  /** `Retry-After` of `rate_limited` and of `no_capacity`, seconds. Absent: no such header. */
  retryAfterSeconds?: number;
}

/** What an occasion is about; a fault's target is compared with all of it. */
export interface Subject {
  target?: string | undefined;
  correlationId?: string | undefined;
  id?: string | undefined;
}

interface ActiveFault {
  fault: Fault;
  matched: number;
  applied: number;
}

export class Faults {
  private active: ActiveFault[] = [];
  private random: Random;

  constructor(private readonly seed: string) {
    this.random = new Random(`${seed}/faults`);
  }

  /** Replaces all faults and restarts the sequence of chances. */
  replace(faults: readonly Fault[]): void {
    this.random = new Random(`${this.seed}/faults`);
    this.active = faults.map((fault) => ({ fault, matched: 0, applied: 0 }));
  }

  add(faults: readonly Fault[]): void {
    this.active.push(...faults.map((fault) => ({ fault, matched: 0, applied: 0 })));
  }

  list(): (Fault & { applied: number })[] {
    return this.active.map(({ fault, applied }) => ({ ...fault, applied }));
  }

  /** The faults that apply to this call, in the order given; each is counted as applied. */
  strikeCall(operation: CallOperation, subject: Subject): Fault[] {
    return this.strike((fault) => fault.on === operation || fault.on === 'call', subject);
  }

  /** The faults of these kinds that apply to this event. */
  strikeEvent(place: EventPlace, subject: Subject, kinds: readonly EventFaultKind[] = kindsByPlace[place]): Fault[] {
    return this.strike(
      (fault) =>
        (fault.on === place || (fault.on === 'webhook' && place.endsWith('.webhook'))) &&
        (kinds as readonly string[]).includes(fault.kind),
      subject,
    );
  }

  private strike(isMeant: (fault: Fault) => boolean, subject: Subject): Fault[] {
    // A fast path, because almost no call of a load test has a fault.
    if (this.active.length === 0) return [];
    const struck: Fault[] = [];
    for (const entry of this.active) {
      const { fault } = entry;
      if (!isMeant(fault) || !concerns(fault, subject)) continue;
      if (fault.times !== undefined && entry.applied >= fault.times) continue;
      entry.matched += 1;
      if (entry.matched <= (fault.skip ?? 0)) continue;
      if (fault.probability !== undefined && this.random.next() >= fault.probability) continue;
      entry.applied += 1;
      struck.push(fault);
    }
    return struck;
  }
}

function concerns(fault: Fault, subject: Subject): boolean {
  if (fault.target === undefined) return true;
  const wanted = typeof fault.target === 'string' ? [fault.target] : fault.target;
  return [subject.target, subject.correlationId, subject.id].some(
    (name) => name !== undefined && wanted.includes(name),
  );
}

/** Reads a list of faults from a request; answers every broken rule at once. */
export function parseFaults(value: unknown): { faults: Fault[] } | { problems: string[] } {
  const list: unknown = Array.isArray(value) ? value : (value as { faults?: unknown } | null)?.faults;
  if (!Array.isArray(list)) return { problems: ['expected {"faults": [...]}'] };
  const problems: string[] = [];
  list.forEach((candidate: unknown, index) => {
    const fail = (problem: string) => problems.push(`faults.${index} ${problem}`);
    if (typeof candidate !== 'object' || candidate === null) return fail('is not an object');
    const fault = candidate as Record<string, unknown>;
    const kinds = kindsOf(fault['on']);
    if (!kinds) return fail(`on must be one of ${places.join(', ')}`);
    if (!kinds.includes(String(fault['kind'])))
      fail(`kind must be one of ${kinds.join(', ')} for ${String(fault['on'])}`);
    for (const [name, check] of Object.entries(optionChecks)) {
      if (fault[name] !== undefined && !check.test(fault[name])) fail(`${name} must be ${check.words}`);
    }
    const unknown = Object.keys(fault).filter((name) => name !== 'on' && name !== 'kind' && !(name in optionChecks));
    if (unknown.length > 0) fail(`has unknown fields: ${unknown.join(', ')}`);
  });
  return problems.length > 0 ? { problems } : { faults: list as Fault[] };
}

const places = [...callOperations, 'call', ...Object.keys(kindsByPlace), 'webhook'];

function kindsOf(place: unknown): readonly string[] | undefined {
  if (typeof place !== 'string') return undefined;
  if (place === 'call' || (callOperations as readonly string[]).includes(place)) return callFaultKinds;
  if (place === 'webhook') return kindsByPlace['run.webhook'];
  return Object.hasOwn(kindsByPlace, place) ? kindsByPlace[place as EventPlace] : undefined;
}

const isCount = (value: unknown) => Number.isInteger(value) && (value as number) >= 0;
const optionChecks: Record<string, { test: (value: unknown) => boolean; words: string }> = {
  target: {
    test: (value) =>
      typeof value === 'string' || (Array.isArray(value) && value.every((name) => typeof name === 'string')),
    words: 'a text or a list of texts',
  },
  times: { test: isCount, words: 'a whole number of at least 0' },
  skip: { test: isCount, words: 'a whole number of at least 0' },
  probability: {
    test: (value) => typeof value === 'number' && value >= 0 && value <= 1,
    words: 'a number from 0 to 1',
  },
  delayMs: { test: isCount, words: 'a whole number of milliseconds' },
  status: {
    test: (value) => isCount(value) && (value as number) >= 400 && (value as number) < 600,
    words: 'an HTTP status from 400 to 599',
  },
  retryAfterSeconds: { test: isCount, words: 'a whole number of seconds' },
};
