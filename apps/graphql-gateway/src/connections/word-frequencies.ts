// How many records hold a word. PostgreSQL takes every word that is not among its most common ones for equally frequent,
// and walks a whole table in the order of the page for one that is nowhere. Frequencies steer plans and nothing else, so
// they may be some minutes old.
import { Injectable } from '@nestjs/common';
import { Clock } from '../clock.js';
import { DataStore } from '../data-store/data-store.js';

/** A word that records must hold; with `*` at its end any word that begins so. */
export type SearchedWord = string;

export interface WordFrequency {
  /** Records with the word; a bound from above for a beginning, and at most 10,000 when the word is not a common one. */
  records: number;
  /** Records of the table, as last estimated. */
  tableRecords: number;
}

/** Counting stops here: more is frequent on any table that the gateway serves. */
const countedMax = 10_000;
const keptMs = 10 * 60_000;
// About 2 MB.
const keptMax = 10_000;

/** What PostgreSQL's statistics know of a tsvector column. */
interface CommonWords {
  /** Share of the records that hold the word, 0 to 1. */
  shares: ReadonlyMap<string, number>;
  tableRecords: number;
}

@Injectable()
export class WordFrequencies {
  private readonly kept = new Map<string, { read: Promise<unknown>; readAt: number }>();

  constructor(
    private readonly dataStore: DataStore,
    private readonly clock: Clock,
  ) {}

  /** From the statistics when the word is common; else counted, which is quick because the word is not common. */
  async of(table: string, column: string, word: SearchedWord): Promise<WordFrequency> {
    const common = await this.keep(`${table}.${column}`, () => this.readCommon(table, column));
    const { tableRecords } = common;
    const share = shareOf(word, common.shares);
    if (share > 0) return { records: share * tableRecords, tableRecords };
    const records = await this.keep(`${table}.${column} ${word}`, () => this.count(table, column, word));
    return { records, tableRecords };
  }

  /** Requests for the same thing share one reading. */
  private async keep<T>(key: string, read: () => Promise<T>): Promise<T> {
    const now = this.clock.now().getTime();
    const known = this.kept.get(key);
    // The key says which of the two readings it is.
    if (known && now - known.readAt < keptMs && now >= known.readAt) return known.read as Promise<T>;
    const reading = read();
    this.kept.delete(key);
    if (this.kept.size >= keptMax) this.kept.delete(this.kept.keys().next().value!);
    this.kept.set(key, { read: reading, readAt: now });
    // The failure is the caller's; whoever asks next asks anew.
    reading.catch(() => this.kept.delete(key));
    return reading;
  }

  private async readCommon(table: string, column: string): Promise<CommonWords> {
    const [row] = await this.dataStore.query<{ words: string[] | null; shares: number[] | null; total: number }>({
      // The shares are followed by the least, the greatest and that of nulls.
      text: `select (select reltuples from pg_class where oid = $1::regclass) as total, s.words, s.shares
               from (values (1)) one left join (
                 select most_common_elems::text::text[] as words, most_common_elem_freqs as shares from pg_stats
                  where schemaname = current_schema() and tablename = $1::text and attname = $2) s on true`,
      values: [table, column],
    });
    const shares = new Map((row!.words ?? []).map((word, index) => [word, row!.shares?.[index] ?? 0]));
    // Minus one: never analysed.
    return { shares, tableRecords: Math.max(row!.total, 0) };
  }

  private async count(table: string, column: string, word: SearchedWord): Promise<number> {
    const [row] = await this.dataStore.query<{ found: string }>({
      // Table and column are the program's own. Without the fence the limit would invite the walk that this prevents.
      text: `select count(*) as found from (select from (select t.id from ${table} t where t.${column} @@ $1::tsquery offset 0) f limit ${countedMax}) few`,
      values: [word.endsWith('*') ? `'${word.slice(0, -1)}':*` : `'${word}'`],
    });
    return Number(row!.found);
  }
}

function shareOf(word: SearchedWord, shares: ReadonlyMap<string, number>): number {
  if (!word.endsWith('*')) return shares.get(word) ?? 0;
  const beginning = word.slice(0, -1);
  let share = 0;
  for (const [common, of] of shares) if (common.startsWith(beginning)) share += of;
  return Math.min(share, 1);
}
