// The engine in the memory of this process. It answers for the data version of its build; the caller masks what changed
// since. When that is too much, the caller orders an index of the changed rows, which takes a second. When these are a
// large part of all rows, it orders a new index of all.
import {
  type AnswerableQuery,
  type Entity,
  type FilterAnswer,
  FilterEngine,
  type FilterQuery,
  type PersonQuery,
  type Unanswered,
} from '../filter-engine.port.js';
import { isAnswerable } from './answerable.js';
import { andInto, countBits } from './bits.js';
import { indexedColumns } from '../indexed-columns.js';
import { selectionsMax } from './embedded-limits.js';
import { select, type Selection } from './filter-evaluation.js';
import { addContactsOf, askedPersons, type SelectedPersons } from './person-join.js';
import type { BuiltIndex } from './read-index.js';
import { RecordIndex } from './record-index.js';
import { compareValues } from '../row-order.js';
import { sortedPage } from './sorted-page.js';
import { TooCostly, WorkLimit } from './work-limit.js';

/** An index, and what was found in it. */
interface Part {
  index: RecordIndex;
  bytes: number;
  /**
   * By filter, the least recently used first; all of them without the same changed rows. A filter that is too costly
   * stays so.
   */
  selections: Map<string, Selection | 'too_costly'>;
  except: readonly bigint[];
  /** Of `except`; undefined for a row that is not there. */
  positionOf: ReadonlyMap<bigint, number | undefined>;
  exceptPositions: Uint32Array;
}

/** Ids of rows of which none changed after `upTo`, as far as was known. */
export interface ChangedIds {
  ids: readonly bigint[];
  upTo: bigint;
}

/** The rows that changed since the main index was built, in an index of their own. */
interface Changes {
  part: Part;
  changed: readonly ChangedIds[];
  /** All changes up to this version are there. */
  version: bigint;
  /** No later ones are. */
  readAt: bigint;
  /** Positions of these rows in the main index. */
  replaced: Uint32Array;
}

interface Held {
  main: Part;
  version: bigint;
  sortsTextsByBytes: boolean;
  changes: Changes | undefined;
}

export class EmbeddedEngine extends FilterEngine {
  readonly name = 'embedded';
  private readonly held = new Map<Entity, Held>();

  constructor(private readonly options: { stepsMax?: number } = {}) {
    super();
  }

  override canAnswer(query: AnswerableQuery): boolean {
    const { entity } = query.filter;
    const isSorted = ({ column, type }: FilterQuery['sort'][number]) =>
      column === 'id' ||
      (indexedColumns[entity].some((each) => each.column === column && each.isSorted) &&
        (type !== 'text' || this.held.get(entity)?.sortsTextsByBytes !== false));
    return isAnswerable(query) && query.sort.every(isSorted);
  }

  override version(entity: Entity): bigint | undefined {
    const held = this.held.get(entity);
    return held?.changes?.version ?? held?.version;
  }

  /** Rows of the main index of an entity, and memory of all of it. */
  size(entity: Entity): { rows: number; bytes: number } {
    const { main, changes } = this.held.get(entity) ?? {};
    return { rows: main?.index.rowCount ?? 0, bytes: (main?.bytes ?? 0) + (changes?.part.bytes ?? 0) };
  }

  /** What changed since the main index was built, as far as the engine has it. */
  changedIds(entity: Entity): readonly ChangedIds[] {
    const held = this.held.get(entity);
    return held?.changes?.changed.filter(({ upTo }) => upTo > held.version) ?? [];
  }

  /** Answers from now on with this index of all rows. Changes that it has not are kept. */
  use({ entity, parts, version, bytes, sortsTextsByBytes }: BuiltIndex): void {
    const held = { main: partOf(entity, parts, bytes), version: BigInt(version), sortsTextsByBytes };
    this.put(entity, held, this.held.get(entity)?.changes);
  }

  /**
   * Answers from now on with this index of rows that changed, instead of those in the main index.
   * @param changed all of these rows: those of `changedIds`, and what changed later
   */
  useChanges({ entity, parts, version, bytes }: BuiltIndex, changed: readonly ChangedIds[]): void {
    const held = this.held.get(entity);
    if (!held) return;
    const part = partOf(entity, parts, bytes);
    const upTo = changed.reduce((newest, each) => (each.upTo > newest ? each.upTo : newest), 0n);
    this.put(entity, held, { part, changed: newestOfEach(changed), version: upTo, readAt: BigInt(version) });
  }

  private put(entity: Entity, held: Omit<Held, 'changes'>, changes: Omit<Changes, 'replaced'> | undefined): void {
    if (!changes || changes.version <= held.version) {
      this.held.set(entity, { ...held, changes: undefined });
      return;
    }
    const { index } = held.main;
    const ids = new Set(changes.changed.flatMap((each) => each.ids));
    const replaced = Uint32Array.from([...ids].flatMap((id) => index.findPosition(id) ?? []));
    const main = { ...held.main, selections: new Map() };
    this.held.set(entity, { ...held, main, changes: { ...changes, replaced } });
  }

  /** Frees the memory of an index. */
  drop(entity: Entity): void {
    this.held.delete(entity);
  }

  override search(query: FilterQuery): Promise<FilterAnswer | Unanswered> {
    return Promise.resolve(this.answer(query));
  }

  private answer(query: FilterQuery): FilterAnswer | Unanswered {
    const held = this.heldFor(query);
    if (typeof held === 'string') return held;
    const heldPersons = query.person && this.heldFor(query.person);
    if (typeof heldPersons === 'string') return heldPersons;
    const { main, changes, version } = held;
    const work = new WorkLimit(this.options.stepsMax);
    try {
      const persons = query.person && heldPersons && selectPersons(heldPersons, query.person, work);
      const found = [page(main, { replaced: changes?.replaced, query, persons }, work)];
      if (changes) found.push(page(changes.part, { query, persons }, work));
      return {
        ids: found.length === 1 ? found[0]!.ids : mergedIds(found, query),
        ...(query.isCounted && { count: found.reduce((total, each) => total + each.count, 0) }),
        version: changes?.version ?? version,
        ...(persons && { persons: askedPersons(persons, work) }),
      };
    } catch (error) {
      if (error instanceof TooCostly) return 'too_costly';
      throw error;
    }
  }

  /** What is held of an entity, if it is of the versions that the caller asks for. */
  private heldFor({ filter, since, upTo }: FilterQuery | PersonQuery): Held | 'not_ready' | 'behind' {
    const held = this.held.get(filter.entity);
    if (!held) return 'not_ready';
    const { changes, version } = held;
    if ((changes?.version ?? version) < since || (changes?.readAt ?? version) > upTo) return 'behind';
    return held;
  }
}

/** Each id once, where it changed last: records that change again and again do not count as many. */
function newestOfEach(changed: readonly ChangedIds[]): ChangedIds[] {
  const seen = new Set<bigint>();
  return [...changed]
    .sort((a, b) => (a.upTo > b.upTo ? -1 : 1))
    .map(({ ids, upTo }) => ({ ids: ids.filter((id) => !seen.has(id) && seen.add(id)), upTo }))
    .filter(({ ids }) => ids.length > 0);
}

function partOf(entity: Entity, parts: BuiltIndex['parts'], bytes: number): Part {
  const index = new RecordIndex(entity, parts);
  return { index, bytes, selections: new Map(), except: [], positionOf: new Map(), exceptPositions: new Uint32Array() };
}

interface Found {
  index: RecordIndex;
  ids: readonly bigint[];
  count: number;
}

/** @throws TooCostly */
function page(
  part: Part,
  {
    replaced,
    query,
    persons,
  }: { replaced?: Uint32Array | undefined; query: FilterQuery; persons?: SelectedPersons | undefined },
  work: WorkLimit,
): Found {
  const { index } = part;
  const own = selectionOf(part, replaced, query, work);
  const found = (selection: Selection): Found => ({
    index,
    ids: sortedPage(index, selection, query, work),
    count: selection.count,
  });
  if (!persons || own.count === 0) return found(own);
  // What persons and contacts have in common is not kept: persons change without their contacts.
  work.spend(4 * index.wordCount);
  return index.withScratch((bits) => {
    addContactsOf(persons, index, bits, work);
    andInto(bits, own.bits);
    return found({ bits, count: countBits(bits) });
  });
}

/** @throws TooCostly */
function selectPersons({ main, changes }: Held, query: PersonQuery, work: WorkLimit): SelectedPersons {
  const parts = [{ index: main.index, ...selectionOf(main, changes?.replaced, query, work) }];
  if (changes) parts.push({ index: changes.part.index, ...selectionOf(changes.part, undefined, query, work) });
  return { parts, query };
}

/** @throws TooCostly */
function selectionOf(
  part: Part,
  replaced: Uint32Array | undefined,
  { filter, key, except }: FilterQuery | PersonQuery,
  work: WorkLimit,
): Selection {
  const { selections, index } = part;
  if (part.except !== except) {
    selections.clear();
    // Most of them were there before.
    const before = part.positionOf;
    part.positionOf = new Map(except.map((id) => [id, before.has(id) ? before.get(id) : index.findPosition(id)]));
    part.exceptPositions = Uint32Array.from([...part.positionOf.values()].filter((each) => each !== undefined));
    part.except = except;
  }
  const known = selections.get(key);
  selections.delete(key);
  // What it is until it is known: it stays so if the evaluation is given up.
  selections.set(key, known ?? 'too_costly');
  if (selections.size > selectionsMax) forgetOldest(part);
  if (known === 'too_costly') throw new TooCostly();
  if (known) return known;
  const { exceptPositions } = part;
  const selection = select(index, filter, replaced ? [replaced, exceptPositions] : [exceptPositions], work);
  selections.set(key, selection);
  return selection;
}

function forgetOldest({ selections, index }: Part): void {
  const [key, selection] = selections.entries().next().value!;
  selections.delete(key);
  if (selection !== 'too_costly') index.giveBack(selection.bits);
}

/** Each list is in the order of the page. */
function mergedIds(found: readonly Found[], { sort, limit }: FilterQuery): bigint[] {
  const rows = found.flatMap(({ index, ids }) => ids.map((id) => ({ id, values: index.valuesOf(id, sort) })));
  rows.sort((a, b) => compareValues(sort, a.values, b.values));
  return rows.slice(0, limit).map(({ id }) => id);
}
