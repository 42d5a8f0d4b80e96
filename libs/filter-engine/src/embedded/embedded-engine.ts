// The engine in the memory of this process. It answers for the data version of its build; the caller masks what changed
// since, and orders a new build when that is too much.
import {
  type Entity,
  type FilterAnswer,
  FilterEngine,
  type FilterQuery,
  type Unanswered,
} from '../filter-engine.port.js';
import { indexedColumns } from './columns.js';
import { selectionsMax } from './embedded-limits.js';
import type { BuiltIndex } from './read-index.js';
import { isAnswerable, RecordIndex, type Selection } from './record-index.js';
import { sortedPage } from './sorted-page.js';

interface Held {
  index: RecordIndex;
  version: bigint;
  bytes: number;
  sortsTextsByBytes: boolean;
  /** By filter, the least recently used first; all of them without the same changed rows. */
  selections: Map<string, Selection>;
  except: readonly bigint[];
}

export class EmbeddedEngine extends FilterEngine {
  readonly name = 'embedded';
  private readonly held = new Map<Entity, Held>();

  override canAnswer({ filter, sort }: Pick<FilterQuery, 'filter' | 'sort' | 'after' | 'limit'>): boolean {
    const { entity } = filter;
    const isSorted = ({ column, type }: FilterQuery['sort'][number]) =>
      column === 'id' ||
      (indexedColumns[entity].some((each) => each.column === column && each.isSorted) &&
        (type !== 'text' || this.held.get(entity)?.sortsTextsByBytes !== false));
    return sort.every(isSorted) && isAnswerable(filter);
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
    if (held.version < query.since) return 'behind';
    const selection = this.selection(held, query);
    return {
      ids: sortedPage(held.index, selection, query),
      ...(query.isCounted && { count: selection.count }),
      version: held.version,
    };
  }

  private selection(held: Held, { filter, key, except }: FilterQuery): Selection {
    const { selections } = held;
    if (held.except !== except) {
      selections.clear();
      held.except = except;
    }
    let selection = selections.get(key);
    selections.delete(key);
    selection ??= held.index.select(filter, except);
    selections.set(key, selection);
    if (selections.size > selectionsMax) selections.delete(selections.keys().next().value!);
    return selection;
  }
}
