// How many records hold a word or another element of a list. PostgreSQL takes every word that is not among its most common
// ones for equally frequent, and walks a whole table in the order of the page for one that is nowhere. Frequencies steer
// plans and nothing else, so they may be some minutes old.
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { DataStore } from '../data-store/data-store.js';

/** What a list may hold: a word, with `*` at its end any word that begins so; or an id. */
export type Element = string;

/** A column that holds a list, and its type. */
export interface ListColumn {
  column: string;
  type: 'tsvector' | 'bigint[]';
}

/** What a condition asks a list of a record to hold: all elements of one of the groups, or of all of them. */
export interface ListCondition extends ListColumn {
  groups: readonly (readonly Element[])[];
  match: 'any' | 'all';
}

export interface Frequencies {
  /** Records with each element; a bound from above for a beginning, and at most 10,000 when the element is not a common one. */
  records: readonly number[];
  /** Records of the table, as last estimated. */
  tableRecords: number;
}

/** Counting stops here: more is frequent on any table that the gateway serves. */
const countedMax = 10_000;
const keptMs = 10 * 60_000;
// About 2 MB.
const keptMax = 10_000;

/** What PostgreSQL's statistics know of a list. */
interface CommonElements {
  /** Share of the records that hold the element, 0 to 1. */
  shares: ReadonlyMap<string, number>;
  tableRecords: number;
}

@Injectable()
export class ElementFrequencies {
  private readonly kept = new Map<string, { read: Promise<unknown>; readAt: number }>();

  constructor(
    private readonly dataStore: DataStore,
    private readonly clock: Clock,
  ) {}

  /** From the statistics when an element is common; else counted, which is quick because it is not common. */
  async of(table: string, list: ListColumn, elements: readonly Element[]): Promise<Frequencies> {
    const name = `${table}.${list.column}`;
    const { shares, tableRecords } = await this.keep(name, () => this.readCommon(table, list.column));
    const common = elements.map((element) => (shares.get(element) ?? 0) * tableRecords);
    if (!common.includes(0)) return { records: common, tableRecords };
    const others = elements.map(
      async (element, index) =>
        common[index] ||
        this.keep(`${name} ${element}`, async () => {
          const beginning = shareOfBeginning(element, shares) * tableRecords;
          return beginning || this.count(table, list, element);
        }),
    );
    return { records: await Promise.all(others), tableRecords };
  }

  /** Ids at equal distances in the order of all, from the least to the greatest; none before the table was analysed. */
  async ids(table: string): Promise<readonly bigint[]> {
    return this.keep(`${table}.id`, async () => {
      const [row] = await this.dataStore.query<{ bounds: string[] }>({
        text: `select histogram_bounds::text::text[] as bounds from pg_stats
                where schemaname = current_schema() and tablename = $1::text and attname = 'id' and histogram_bounds is not null`,
        values: [table],
      });
      return (row?.bounds ?? []).map(BigInt);
    });
  }

  /** Requests for the same thing share one reading. */
  private async keep<T>(key: string, read: () => Promise<T>): Promise<T> {
    const now = this.clock.now().getTime();
    const known = this.kept.get(key);
    // The key says which of the readings it is.
    if (known && now - known.readAt < keptMs && now >= known.readAt) return known.read as Promise<T>;
    const reading = read();
    this.kept.delete(key);
    if (this.kept.size >= keptMax) this.kept.delete(this.kept.keys().next().value!);
    this.kept.set(key, { read: reading, readAt: now });
    // The failure is the caller's; whoever asks next asks anew.
    reading.catch(() => this.kept.delete(key));
    return reading;
  }

  private async readCommon(table: string, column: string): Promise<CommonElements> {
    const [row] = await this.dataStore.query<{ elements: string[] | null; shares: number[] | null; total: number }>({
      // The shares are followed by the least, the greatest and that of nulls.
      text: `select (select reltuples from pg_class where oid = $1::regclass) as total, s.elements, s.shares
               from (values (1)) one left join (
                 select most_common_elems::text::text[] as elements, most_common_elem_freqs as shares from pg_stats
                  where schemaname = current_schema() and tablename = $1::text and attname = $2) s on true`,
      values: [table, column],
    });
    const shares = new Map((row!.elements ?? []).map((element, index) => [element, row!.shares?.[index] ?? 0]));
    // Minus one: never analysed.
    return { shares, tableRecords: Math.max(row!.total, 0) };
  }

  private async count(table: string, { column, type }: ListColumn, element: Element): Promise<number> {
    const [row] = await this.dataStore.query<{ found: string }>({
      // Table and column are the program's own. Without the fence the limit would invite the walk that this prevents.
      text: `select count(*) as found from (select from (select t.id from ${table} t where ${holds[type](`t.${column}`)} offset 0) f limit ${countedMax}) few`,
      values: [type === 'tsvector' ? lexemeOf(element) : `{${element}}`],
    });
    return Number(row!.found);
  }
}

/** That a list holds an element, the first parameter. */
const holds: Record<ListColumn['type'], (column: string) => string> = {
  tsvector: (column) => `${column} @@ $1::tsquery`,
  'bigint[]': (column) => `${column} @> $1::bigint[]`,
};

function lexemeOf(word: string): string {
  return word.endsWith('*') ? `'${word.slice(0, -1)}':*` : `'${word}'`;
}

/** Of the common words that begin as asked; 0 for any other element. */
function shareOfBeginning(element: Element, shares: ReadonlyMap<string, number>): number {
  if (!element.endsWith('*')) return 0;
  const beginning = element.slice(0, -1);
  let share = 0;
  for (const [common, of] of shares) if (common.startsWith(beginning)) share += of;
  return Math.min(share, 1);
}
