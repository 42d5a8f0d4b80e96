// The engine in the memory of this process. It answers for the data version of its build; the caller masks what changed
// since, and orders a new build when that is too much.
import {
  type Entity,
  type FilterAnswer,
  FilterEngine,
  type FilterQuery,
  type Unanswered,
} from '../filter-engine.port.js';
import { isAnswerable } from './answerable.js';
import { indexedColumns } from '../indexed-columns.js';
import { selectionsMax } from './embedded-limits.js';
import { select, type Selection } from './filter-evaluation.js';
import type { BuiltIndex } from './read-index.js';
import { RecordIndex } from './record-index.js';
import { sortedPage } from './sorted-page.js';
import { TooCostly, WorkLimit } from './work-limit.js';

interface Held {
  index: RecordIndex;
  version: bigint;
  bytes: number;
  sortsTextsByBytes: boolean;
  /**
   * By filter, the least recently used first; all of them without the same changed rows. A filter that is too costly
   * stays so.
   */
  selections: Map<string, Selection | 'too_costly'>;
  except: readonly bigint[];
  /** Positions of `except`. */
  exceptPositions: Uint32Array;
}

export class EmbeddedEngine extends FilterEngine {
  readonly name = 'embedded';
  private readonly held = new Map<Entity, Held>();

  constructor(private readonly options: { stepsMax?: number } = {}) {
    super();
  }

  override canAnswer(query: Pick<FilterQuery, 'filter' | 'sort' | 'after' | 'limit'>): boolean {
    const { entity } = query.filter;
    const isSorted = ({ column, type }: FilterQuery['sort'][number]) =>
      column === 'id' ||
      (indexedColumns[entity].some((each) => each.column === column && each.isSorted) &&
        (type !== 'text' || this.held.get(entity)?.sortsTextsByBytes !== false));
    return isAnswerable(query) && query.sort.every(isSorted);
  }

  override version(entity: Entity): bigint | undefined {
    return this.held.get(entity)?.version;
  }

  /** Rows and memory of the index of an entity. */
  size(entity: Entity): { rows: number; bytes: number } {
    const held = this.held.get(entity);
    return { rows: held?.index.rowCount ?? 0, bytes: held?.bytes ?? 0 };
  }

  /** Answers from now on with this index. */
  use({ entity, parts, version, bytes, sortsTextsByBytes }: BuiltIndex): void {
    this.held.set(entity, {
      index: new RecordIndex(entity, parts),
      version: BigInt(version),
      bytes,
      sortsTextsByBytes,
      selections: new Map(),
      except: [],
      exceptPositions: new Uint32Array(),
    });
  }

  /** Frees the memory of an index. */
  drop(entity: Entity): void {
    this.held.delete(entity);
  }

  override search(query: FilterQuery): Promise<FilterAnswer | Unanswered> {
    return Promise.resolve(this.answer(query));
  }

  private answer(query: FilterQuery): FilterAnswer | Unanswered {
    const held = this.held.get(query.filter.entity);
    if (!held) return 'not_ready';
    if (held.version < query.since || held.version > query.upTo) return 'behind';
    const work = new WorkLimit(this.options.stepsMax);
    try {
      const selection = this.selection(held, query, work);
      if (selection === 'too_costly') return selection;
      const ids = sortedPage(held.index, selection, query, work);
      return { ids, ...(query.isCounted && { count: selection.count }), version: held.version };
    } catch (error) {
      if (error instanceof TooCostly) return 'too_costly';
      throw error;
    }
  }

  private selection(held: Held, { filter, key, except }: FilterQuery, work: WorkLimit): Selection | 'too_costly' {
    const { selections, index } = held;
    if (held.except !== except) {
      selections.clear();
      held.except = except;
      held.exceptPositions = Uint32Array.from(except.flatMap((id) => index.findPosition(id) ?? []));
    }
    const known = selections.get(key);
    selections.delete(key);
    // What it is until it is known: it stays so if the evaluation is given up.
    selections.set(key, known ?? 'too_costly');
    if (selections.size > selectionsMax) selections.delete(selections.keys().next().value!);
    if (known) return known;
    const selection = select(index, filter, held.exceptPositions, work);
    selections.set(key, selection);
    return selection;
  }
}
