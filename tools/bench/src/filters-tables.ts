// The tables of the page: a column for each server, a row for each figure, with the targets of the engines.
import type { RecordEntity } from '@tradewind/filters';
import type { BenchTables } from './bench.types.js';
import type { DrawnFilter } from './drawn-filters.js';
import type { FilterAnswer, Found } from './filter-load.js';
import { percentile } from './median.js';

export interface ServerResult {
  name: string;
  hasSameOrder: boolean;
  alone: FilterAnswer[];
  together: FilterAnswer[];
  /** Seconds that `together` took, with the ends of the turns, when fewer and fewer connections have a request. */
  togetherSeconds: number;
  /** Of `together`, while every connection had a request under way. */
  busy: { seconds: number; answers: number };
  /** Processor time of a request of `alone`, ms. */
  processorMs: number;
  residentMiB?: number | undefined;
  /** Of a gateway: longest hold of the event loop while answering, ms. */
  heldMs?: number;
  /** Of a gateway with an engine: pages by why PostgreSQL answered them. */
  leftToPostgres?: Readonly<Record<'filter' | 'too_costly' | 'other', number>>;
  build?: Build;
}

export interface Build {
  seconds: number;
  heldMs?: number;
  /** Of an event loop that did nothing meanwhile. */
  idleHeldMs?: number;
  /** MiB for a million rows: in memory, or on the disk of the cluster. */
  mebibytesPerMillion: Readonly<Partial<Record<RecordEntity, number>>>;
  /** What two gateways that built at once answered meanwhile. */
  whileBuilding?: readonly FilterAnswer[] | undefined;
}

export interface Target {
  text: string;
  isMet: (figure: number) => boolean;
}

/** By the name of the server. */
type Targets = Readonly<Record<string, Target>>;

/** By the figure's row. */
export type SpeedTargets = Readonly<Record<string, Targets>>;

interface FigureRow {
  what: string;
  unit: string;
  of: (result: ServerResult) => number | undefined;
  targets?: Targets;
}

export const below = (most: number): Target => ({ text: `< ${most}`, isMet: (figure) => figure < most });
export const atLeast = (least: number): Target => ({ text: `>= ${least}`, isMet: (figure) => figure >= least });
const none: Target = { text: '0', isMet: (figure) => figure === 0 };

/** Two gateways that start at once keep answering while both build. PostgreSQL gives these answers. */
const buildingRows: FigureRow[] = [
  { what: 'two gateways that build at once: answers', unit: '', of: ofBuilding(({ length }) => length) },
  { what: 'their p50', unit: 'ms', of: ofBuilding((answers) => percentileOf(answers, 0.5)) },
  { what: 'their p99', unit: 'ms', of: ofBuilding((answers) => percentileOf(answers, 0.99)) },
  { what: 'their answers 503', unit: '', of: ofBuilding((answers) => countOf(answers, 503)) },
  { what: 'their answers 504', unit: '', of: ofBuilding((answers) => countOf(answers, 504)) },
  {
    what: 'their other faults',
    unit: '',
    of: ofBuilding((answers) => answers.filter(({ found }) => !found).length - countOf(answers, 503, 504)),
    targets: { embedded: none },
  },
];

function ofBuilding(figure: (answers: readonly FilterAnswer[]) => number | undefined): FigureRow['of'] {
  return ({ build }) => build?.whileBuilding && figure(build.whileBuilding);
}

function countOf(answers: readonly FilterAnswer[], ...statuses: number[]): number {
  return answers.filter(({ status }) => statuses.includes(status)).length;
}

/** @throws when a target is of no row */
export function tablesOf(
  results: readonly ServerResult[],
  { how, targets }: { how: string; targets: SpeedTargets },
): BenchTables {
  const differences = differencesOf(results);
  const ofAlone = (share: number) => (result: ServerResult) => percentileOf(result.alone, share);
  const ofSome = (isMeant: (drawn: DrawnFilter) => boolean) => (result: ServerResult) =>
    percentileOf(
      result.alone.filter(({ drawn }) => isMeant(drawn)),
      0.99,
    );
  const ofTogether = (share: number) => (result: ServerResult) => percentileOf(result.together, share);
  const statusCount = (status: number) => (result: ServerResult) => countOf(answersOf(result), status);
  const entityOf = (entity: RecordEntity) => ofSome((drawn) => drawn.entity === entity && !asksBeside(drawn));
  const speed: FigureRow[] = [
    { what: 'one after the other: p50', unit: 'ms', of: ofAlone(0.5) },
    { what: 'one after the other: p90', unit: 'ms', of: ofAlone(0.9) },
    { what: 'one after the other: p99', unit: 'ms', of: ofAlone(0.99) },
    { what: 'one after the other: longest', unit: 'ms', of: ofAlone(1) },
    {
      what: '8 connections: requests',
      unit: '1/s',
      of: ({ busy }) => (busy.seconds > 0 ? busy.answers / busy.seconds : undefined),
    },
    {
      what: '8 connections: requests, the ends of turns included',
      unit: '1/s',
      of: ({ together, togetherSeconds }) => (togetherSeconds > 0 ? together.length / togetherSeconds : undefined),
    },
    { what: '8 connections: p50', unit: 'ms', of: ofTogether(0.5) },
    { what: '8 connections: p99', unit: 'ms', of: ofTogether(0.99) },
    { what: 'CPU of a request', unit: 'ms', of: ({ processorMs }) => processorMs },
    { what: 'p99 of filters with words', unit: 'ms', of: ofSome(({ hasWords }) => hasWords) },
    { what: 'p99 of filters without words', unit: 'ms', of: ofSome(({ hasWords }) => !hasWords) },
    { what: 'p99 of companies', unit: 'ms', of: entityOf('company') },
    { what: 'p99 of persons', unit: 'ms', of: entityOf('person') },
    { what: 'p99 of deals', unit: 'ms', of: entityOf('deal') },
    { what: 'p99 of contacts', unit: 'ms', of: entityOf('contact') },
    { what: "p99 of contacts by address or by the person's data", unit: 'ms', of: ofSome(asksBeside) },
    { what: 'p99 of contradictions', unit: 'ms', of: ofSome((drawn) => drawn.isContradictory) },
  ];
  const checks: FigureRow[] = [
    { what: 'filters asked, one after the other', unit: '', of: ({ alone }) => alone.length },
    { what: 'filters asked over 8 connections', unit: '', of: ({ together }) => together.length },
    {
      what: 'counts and pages that differ from those of PostgreSQL',
      unit: '',
      of: ({ name }) => differences.get(name)!.length,
      targets: Object.fromEntries(results.map(({ name }) => [name, none])),
    },
    { what: 'answers 503', unit: '', of: statusCount(503) },
    { what: 'answers 504', unit: '', of: statusCount(504) },
    {
      what: 'answers 504 without a 503 before',
      unit: '',
      of: (result) => (result.heldMs === undefined ? undefined : unannounced(result.together)),
      targets: { PostgreSQL: none, embedded: none, OpenSearch: none },
    },
    {
      what: 'other faults, a statement over 5 s among them',
      unit: '',
      of: (result) =>
        answersOf(result).filter(({ status, found }) => !found && status !== 503 && status !== 504).length,
      targets: { PostgreSQL: none, embedded: none, OpenSearch: none },
    },
    { what: 'left to PostgreSQL: `filter`', unit: '', of: ({ leftToPostgres }) => leftToPostgres?.filter },
    { what: 'left to PostgreSQL: `too_costly`', unit: '', of: ({ leftToPostgres }) => leftToPostgres?.too_costly },
    {
      what: 'left to PostgreSQL: other reasons',
      unit: '',
      of: ({ leftToPostgres }) => leftToPostgres?.other,
      targets: { embedded: none, OpenSearch: none },
    },
    { what: 'longest hold of the event loop while answering', unit: 'ms', of: ({ heldMs }) => heldMs },
    {
      what: 'longest hold of the event loop while building, median of three builds',
      unit: 'ms',
      of: ({ build }) => build?.heldMs,
      targets: { embedded: below(100) },
    },
    {
      what: 'hold of an event loop that did nothing meanwhile, median of three',
      unit: 'ms',
      of: ({ build }) => build?.idleHeldMs,
    },
    ...buildingRows,
    { what: 'build of the indexes', unit: 's', of: ({ build }) => build?.seconds },
    ...(['company', 'person', 'deal', 'contact'] as const).map((entity) => ({
      what: `index of a million records: ${entity}`,
      unit: 'MiB',
      of: ({ build }: ServerResult) => build?.mebibytesPerMillion[entity],
    })),
    { what: 'memory of the process', unit: 'MiB', of: ({ residentMiB }) => residentMiB },
  ];
  const unknown = Object.keys(targets).filter((name) => !speed.some(({ what }) => what === name));
  if (unknown.length > 0) throw new Error(`No row is named ${unknown.join(', ')}`);
  const aimed = speed.map((row) => ({ ...row, targets: targets[row.what] ?? {} }));
  const [first, second] = [tableOf(aimed, results), tableOf(checks, results)];
  return { markdown: `${first.markdown}\n\n${second.markdown}`, missed: first.missed + second.missed, how };
}

function asksBeside({ beside }: DrawnFilter): boolean {
  return beside.email !== undefined || beside.person !== undefined;
}

const answersOf = ({ alone, together }: ServerResult) => [...alone, ...together];

function percentileOf(answers: readonly FilterAnswer[], share: number): number | undefined {
  return answers.length === 0
    ? undefined
    : percentile(
        answers.map(({ ms }) => ms),
        share,
      );
}

/** Timeouts that came although no request was turned away before. */
function unannounced(answers: readonly FilterAnswer[]): number {
  const firstRefused = Math.min(...answers.filter(({ status }) => status === 503).map(({ endedMs }) => endedMs));
  return answers.filter(({ status, endedMs }) => status === 504 && endedMs < firstRefused).length;
}

export interface Difference {
  drawn: DrawnFilter;
  found: Found;
  expected: Found;
}

/** Compares with the first server that answered; a server in another order is compared by its counts. */
export function differencesOf(results: readonly ServerResult[]): Map<string, Difference[]> {
  const byFilter = results.map((result) => new Map(answersOf(result).map((answer) => [answer.drawn, answer])));
  const differences = new Map(results.map(({ name }) => [name, [] as Difference[]]));
  for (const drawn of new Set(byFilter.flatMap((answers) => [...answers.keys()]))) {
    if (drawn.isMoving) continue;
    const expected = byFilter.map((answers) => answers.get(drawn)?.found).find((found) => found !== undefined);
    for (const [place, { name, hasSameOrder }] of results.entries()) {
      const found = byFilter[place]!.get(drawn)?.found;
      if (!found || !expected) continue;
      const isSame = found.count === expected.count && (!hasSameOrder || found.ids.join() === expected.ids.join());
      if (!isSame) differences.get(name)!.push({ drawn, found, expected });
    }
  }
  return differences;
}

function tableOf(rows: readonly FigureRow[], results: readonly ServerResult[]): { markdown: string; missed: number } {
  let missed = 0;
  const lines = rows.flatMap(({ what, unit, of, targets = {} }) => {
    const figures = results.map((result) => [result.name, of(result)] as const);
    if (figures.every(([, figure]) => figure === undefined)) return [];
    const isEverywhere = new Set(Object.values(targets)).size === 1 && Object.keys(targets).length > 1;
    const present = figures.flatMap(([name, figure]) => {
      const target = targets[name];
      return target && figure !== undefined ? [{ name, target, isMet: target.isMet(figure) }] : [];
    });
    const missing = present.filter(({ isMet }) => !isMet).map(({ name }) => name);
    missed += missing.length;
    const text = isEverywhere
      ? present[0]?.target.text
      : present.map(({ name, target }) => `${name} ${target.text}`).join(', ');
    const outcome = present.length === 0 ? '' : missing.length === 0 ? 'met' : `**missed**: ${missing.join(', ')}`;
    const cells = figures.map(([, figure]) => shown(figure));
    return [`| ${[what, ...cells, unit, text ?? '', outcome].join(' | ')} |`];
  });
  const head = ['what', ...results.map(({ name }) => name), 'unit', 'target', ''];
  return {
    markdown: [`| ${head.join(' | ')} |`, `|${head.map(() => '---|').join('')}`, ...lines].join('\n'),
    missed,
  };
}

function shown(figure: number | undefined): string {
  if (figure === undefined) return '';
  if (Number.isInteger(figure) || figure >= 100) return Math.round(figure).toLocaleString('en-US');
  return figure.toFixed(figure >= 10 ? 1 : 2);
}
