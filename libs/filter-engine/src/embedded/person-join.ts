// Contacts whose person satisfies a filter. The ids of persons are in order in both indexes. So one pass over both
// finds which values of `person_id` are which rows of the persons. It is kept as long as both indexes are, 8 bytes a
// person, and a join is a pass over it.
import type { PersonQuery } from '../filter-engine.port.js';
import type { Bits } from './bits.js';
import { hasBit } from './bits.js';
import type { ColumnIndex, KeyLink } from './column-index.js';
import type { RecordIndex } from './record-index.js';
import { stepsOfIdLookup, type WorkLimit } from './work-limit.js';

/** Of a contact and its person. */
export const bytesOfLink = 8;

/** The persons that satisfy a filter, without those that the caller judges, in each index that holds some. */
export interface SelectedPersons {
  parts: readonly { index: RecordIndex; bits: Bits; count: number }[];
  query: PersonQuery;
}

const links = new WeakMap<RecordIndex, WeakMap<RecordIndex, KeyLink>>();

/**
 * Adds the contacts of these persons. `bits` are empty.
 * @throws TooCostly
 */
export function addContactsOf(
  { parts, query }: SelectedPersons,
  contacts: RecordIndex,
  bits: Bits,
  work: WorkLimit,
): void {
  const column = contacts.column('person_id');
  for (const { index, bits: selected, count } of parts) {
    if (count > 0) column.addLinked(linkOf(contacts, column, index), selected, count, bits, work);
  }
  work.spend(query.matching.length * stepsOfIdLookup);
  for (const id of query.matching) {
    const key = column.findInteger(id);
    if (key !== undefined) column.addKey(key, bits, work);
  }
}

/** Of the persons that were asked for, those that satisfy the filter. */
export function askedPersons({ parts, query }: SelectedPersons, work: WorkLimit): Set<bigint> {
  work.spend(query.asked.length * stepsOfIdLookup * parts.length);
  const matching = new Set(query.matching);
  const isSelected = (id: bigint) =>
    matching.has(id) ||
    parts.some(({ index, bits }) => {
      const position = index.findPosition(id);
      return position !== undefined && hasBit(bits, position);
    });
  return new Set(query.asked.filter(isSelected));
}

function linkOf(contacts: RecordIndex, column: ColumnIndex, persons: RecordIndex): KeyLink {
  let ofContacts = links.get(contacts);
  if (!ofContacts) links.set(contacts, (ofContacts = new WeakMap()));
  let link = ofContacts.get(persons);
  if (!link) ofContacts.set(persons, (link = linked(column.integers, persons.ids)));
  return link;
}

/** Both ascending. Halves of numbers are compared, because a BigInt is an object. */
function linked(keys: BigInt64Array, ids: BigInt64Array): KeyLink {
  const [lowsOfKeys, highsOfKeys] = halves(keys);
  const [lowsOfIds, highsOfIds] = halves(ids);
  const found = { keys: new Uint32Array(keys.length), others: new Uint32Array(keys.length) };
  let count = 0;
  let [key, id] = [0, 0];
  while (key < keys.length && id < ids.length) {
    // The order of highs first; they are numbers with a sign.
    const order = highsOfKeys[2 * key + 1]! - highsOfIds[2 * id + 1]! || lowsOfKeys[2 * key]! - lowsOfIds[2 * id]!;
    if (order === 0) {
      found.keys[count] = key;
      found.others[count] = id;
      count += 1;
    }
    if (order <= 0) key += 1;
    if (order >= 0) id += 1;
  }
  return { keys: found.keys.slice(0, count), others: found.others.slice(0, count) };
}

/** Typed arrays are little-endian on every machine that Node runs on. */
function halves({ buffer, byteOffset, length }: BigInt64Array): [lows: Uint32Array, highs: Int32Array] {
  return [new Uint32Array(buffer, byteOffset, 2 * length), new Int32Array(buffer, byteOffset, 2 * length)];
}
