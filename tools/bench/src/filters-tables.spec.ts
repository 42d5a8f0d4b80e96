import { describe, expect, it } from '@jest/globals';
import type { DrawnFilter } from './drawn-filters.js';
import type { FilterAnswer } from './filter-load.js';
import { below, type ServerResult, type SpeedTargets, tablesOf } from './filters-tables.js';

const filter = (rest: Partial<DrawnFilter> = {}) =>
  ({
    entity: 'company',
    variables: {},
    filter: { entity: 'company', today: '2026-11-24', conditions: [] },
    beside: {},
    sort: [],
    user: 0,
    parts: [],
    hasWords: false,
    isContradictory: false,
    isMoving: false,
    ...rest,
  }) satisfies DrawnFilter;
const answer = (drawn: DrawnFilter, rest: Partial<FilterAnswer> = {}): FilterAnswer => ({
  drawn,
  ms: 1,
  endedMs: 1,
  status: 200,
  found: { count: 1, ids: ['1'] },
  ...rest,
});
const result = (
  name: string,
  alone: FilterAnswer[],
  together = alone,
  rest: Partial<ServerResult> = {},
): ServerResult => ({
  name,
  hasSameOrder: true,
  alone,
  together,
  togetherSeconds: 0.001,
  busy: { seconds: 0.001, answers: 1 },
  processorMs: 1,
  heldMs: 1,
  ...rest,
});
const tables = (results: ServerResult[], targets: SpeedTargets = {}) => tablesOf(results, { how: '', targets });
const rowOf = (markdown: string, what: string) =>
  markdown
    .split('\n')
    .find((line) => line.startsWith(`| ${what} |`))
    ?.split('|')
    .slice(2, -1)
    .map((cell) => cell.trim());

describe('the tables of the filters benchmark', () => {
  const [one, other] = [filter(), filter()];

  it('count what differs from PostgreSQL: counts and pages, but not the order of a server that has another one', () => {
    const postgres = result('PostgreSQL', [answer(one), answer(other)]);
    const wrongCount = answer(one, { found: { count: 2, ids: ['1'] } });
    const wrongPage = answer(other, { found: { count: 1, ids: ['2'] } });
    const { markdown, missed } = tables([
      postgres,
      result('embedded', [wrongCount, wrongPage]),
      result('OpenSearch alone', [wrongCount, wrongPage], [], { hasSameOrder: false }),
    ]);
    const row = rowOf(markdown, 'counts and pages that differ from those of PostgreSQL');
    expect(row).toEqual(['0', '2', '1', '', '0', '**missed**: embedded, OpenSearch alone']);
    expect(missed).toBe(2);
  });

  it('leave out filters whose answer depends on the moment', () => {
    const moving = filter({ isMoving: true });
    const results = [
      result('PostgreSQL', [answer(moving)]),
      result('embedded', [answer(moving, { found: { count: 9, ids: [] } })]),
    ];
    expect(rowOf(tables(results).markdown, 'counts and pages that differ from those of PostgreSQL')).toEqual([
      '0',
      '0',
      '',
      '0',
      'met',
    ]);
  });

  it('tell timeouts that were announced by a 503 from those that were not', () => {
    const answers = [
      answer(one, { status: 504, found: undefined, endedMs: 1 }),
      answer(one, { status: 503, found: undefined, endedMs: 2 }),
      answer(one, { status: 504, found: undefined, endedMs: 3 }),
    ];
    const { markdown } = tables([result('PostgreSQL', answers)]);
    expect(rowOf(markdown, 'answers 504')?.[0]).toBe('4');
    expect(rowOf(markdown, 'answers 504 without a 503 before')).toEqual(['1', '', '0', '**missed**: PostgreSQL']);
  });

  it('check the targets of each engine', () => {
    const slow = [answer(one, { ms: 30 })];
    const { markdown } = tables([result('PostgreSQL', slow), result('embedded', slow)], {
      'one after the other: p99': { PostgreSQL: below(2000), embedded: below(25) },
    });
    expect(rowOf(markdown, 'one after the other: p99')).toEqual([
      '30',
      '30',
      'ms',
      'PostgreSQL < 2000, embedded < 25',
      '**missed**: embedded',
    ]);
    expect(rowOf(markdown, 'build of the indexes')).toBeUndefined();
  });

  it('tell refusals of gateways that build at once from faults', () => {
    const none = { found: undefined };
    const whileBuilding = [200, 503, 504, 504, 500].map((status) =>
      answer(one, { status, ...(status !== 200 && none) }),
    );
    const build = { seconds: 1, mebibytesPerMillion: {}, whileBuilding };
    const { markdown } = tables([result('embedded', [answer(one)], [], { build })]);
    expect(rowOf(markdown, 'two gateways that build at once: answers')?.[0]).toBe('5');
    expect(rowOf(markdown, 'their answers 503')?.[0]).toBe('1');
    expect(rowOf(markdown, 'their answers 504')?.[0]).toBe('2');
    expect(rowOf(markdown, 'their other faults')).toEqual(['1', '', 'embedded 0', '**missed**: embedded']);
  });

  it('have no target for a row that is missing', () => {
    const targets = { 'one after the other: p98': { embedded: below(1) } };
    expect(() => tables([result('embedded', [answer(one)])], targets)).toThrow(
      'No row is named one after the other: p98',
    );
  });
});
