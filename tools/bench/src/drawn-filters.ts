// Random filters of all four entities, with words and every order, never the same twice. Their values are those of
// records drawn at random, so that frequent values come up as often as they occur. Half of the filters take all values
// from one record, so that several conditions together still find something. The same seed gives the same filters.
import {
  compileFilter,
  dealStatuses,
  type FilterEntity,
  type FilterField,
  filterFields,
  industries,
  isContradictory,
  type NameDictionary,
  type NormalisedFilter,
  parseFilters,
  type RecordEntity,
  type SearchComparison,
} from '@tradewind/filters';
import { Dice } from './dice.js';
import { contactArguments, type DrawnContacts } from './drawn-contact-filters.js';
import type { Row, SortColumn } from './drawn-filters.types.js';

/** What filters are drawn from. */
export interface Population {
  /** Some rows of each entity. */
  rows: Readonly<Record<RecordEntity, readonly Row[]>>;
  names: NameDictionary;
  /** Date (UTC) that ages and deal status are judged by. */
  today: string;
  /** The users who ask; some of them own contacts. */
  userIds: readonly string[];
}

export interface DrawnFilter {
  entity: RecordEntity;
  /** Of the query of the data API. */
  variables: Record<string, unknown>;
  /** What the variables mean, as conditions on the columns of the record. */
  filter: NormalisedFilter;
  /** Of contacts, what no column of the record answers alone. */
  beside: { email?: string; person?: NormalisedFilter };
  sort: readonly SortColumn[];
  /** Place of the user who asks. */
  user: number;
  /** What it asks for, such as `industry IS_ANY_OF` or `sorter title DESC`. */
  parts: readonly string[];
  hasWords: boolean;
  isContradictory: boolean;
  /** Its answer changes from one moment to the next. */
  isMoving: boolean;
}

type Drawn = Pick<DrawnFilter, 'variables' | 'filter' | 'beside' | 'sort' | 'parts' | 'isMoving'>;

const allEntities: readonly RecordEntity[] = ['company', 'person', 'deal', 'contact'];
const conditionsMax = 4;
const industryMembers = new Map(industries.map(({ id, member }) => [String(id), member]));
/** Arguments of their own; the other fields are in `searchFilters`. */
const besideSearchFilters = ['topMarkets', 'officeLocation'];

export const dealSortColumns: Readonly<Record<string, string>> = {
  announcedDate: 'announced_date',
  startDate: 'start_date',
  endDate: 'end_date',
  annualValue: 'annual_value_amount',
  totalValue: 'total_value_amount',
  title: 'title',
  id: 'id',
};

/** Endless; one entity after the other. */
export function* drawFilters(
  population: Population,
  seed: number,
  entities = allEntities,
): Generator<DrawnFilter, never> {
  const dice = new Dice(seed);
  const seen = new Set<string>();
  for (let number = 0; ; number++) {
    const entity = entities[number % entities.length]!;
    for (;;) {
      const user = dice.below(population.userIds.length);
      const drawn = entity === 'contact' ? contacts(population, dice, user) : records(population, dice, entity);
      const { filter } = drawn;
      const meaning = meaningOf(entity, drawn);
      const text = JSON.stringify([entity, drawn.variables]);
      if (seen.has(meaning) || seen.has(text)) continue;
      seen.add(meaning).add(text);
      yield {
        ...drawn,
        entity,
        user,
        hasWords: filter.conditions.some(({ op }) => op === 'words' || op === 'wholeText'),
        isContradictory: isContradictory(filter),
      };
      break;
    }
  }
}

/** The same for filters that find the same, such as those by `salary` and by `grossSalary`. */
function meaningOf(entity: RecordEntity, { filter, beside, sort }: Drawn): string {
  const compiled = [compileFilter(filter), beside.person && compileFilter(beside.person)];
  return JSON.stringify([entity, compiled, beside.email, sort], (_, value: unknown) =>
    typeof value === 'bigint' ? `${value}n` : value,
  );
}

function records(population: Population, dice: Dice, entity: FilterEntity): Drawn {
  const { input, parts } = drawInput(population, dice, entity, 1 + dice.below(conditionsMax));
  const filter = parseFilters(entity, input, population);
  const own = Object.entries(input).filter(([name]) => besideSearchFilters.includes(name));
  const others = Object.entries(input).filter(([name]) => !besideSearchFilters.includes(name));
  const variables: Record<string, unknown> = {
    ...Object.fromEntries(own),
    ...(others.length > 0 && { searchFilters: Object.fromEntries(others) }),
  };
  const sort: SortColumn[] = [];
  if (entity === 'deal' && dice.chance(0.6)) {
    const sorters = dice.some(Object.keys(dealSortColumns), 1 + dice.below(2)).map((field) => {
      const direction = dice.chance(0.5) ? 'ASC' : 'DESC';
      sort.push({ column: dealSortColumns[field]!, direction: direction === 'ASC' ? 'asc' : 'desc' });
      return { field, direction };
    });
    variables['sorters'] = sorters;
    parts.push(...sorters.map(({ field, direction }) => `sorter ${field} ${direction}`));
  }
  return { variables, filter, beside: {}, sort, parts, isMoving: false };
}

function contacts({ rows, names, today, userIds }: Population, dice: Dice, user: number): Drawn {
  const drawn: DrawnContacts = contactArguments(rows.contact, dice, {
    userId: userIds[user]!,
    nowMs: Date.parse(today),
  });
  const { variables, conditions, sort, parts, email, isMoving, asksForPerson } = drawn;
  const filter: NormalisedFilter = { entity: 'contact', today, conditions };
  const beside: DrawnFilter['beside'] = { ...(email !== undefined && { email }) };
  if (asksForPerson) {
    const person = drawInput({ rows, names, today, userIds }, dice, 'person', 1 + dice.below(2));
    variables['personSearchFilters'] = person.input;
    beside.person = parseFilters('person', person.input, { today, names });
    parts.push('personSearchFilters');
  }
  return { variables, filter, beside, sort, parts, isMoving };
}

/** `{field: [{values, comparison}]}` with so many conditions; now and then two on one field. */
function drawInput({ rows, today }: Population, dice: Dice, entity: FilterEntity, count: number) {
  const input: Record<string, { values: unknown[]; comparison?: SearchComparison }[]> = {};
  const parts: string[] = [];
  const anchor = dice.chance(0.5) ? dice.one(rows[entity]) : undefined;
  const fields = dice.some(filterFields[entity], count);
  if (count > 1 && dice.chance(0.1)) fields[1] = fields[0]!;
  for (const field of fields) {
    const comparison = dice.one(field.comparisons);
    const nextRow = (look: number) => (look === 0 && anchor) || dice.one(rows[entity]);
    const values = drawValues(field, comparison, nextRow, dice, today);
    // The default is left out now and then, as callers do.
    const isLeftOut = comparison === 'IS_ANY_OF' && dice.chance(0.5);
    (input[field.name] ??= []).push({ values, ...(!isLeftOut && { comparison }) });
    parts.push(`${field.name} ${comparison}`);
  }
  return { input, parts };
}

function drawValues(
  field: FilterField,
  comparison: SearchComparison,
  nextRow: (look: number) => Row,
  dice: Dice,
  today: string,
): unknown[] {
  /** The values of one record; of the example when twenty records have none. */
  const found = (): unknown[] => {
    for (let looks = 0; looks < 20; looks++) {
      const values = valuesOf(field, comparison, nextRow(looks), dice, today);
      if (values.length > 0) return values;
    }
    return [...field.example];
  };
  const one = () => dice.one(found());
  switch (comparison) {
    case 'BETWEEN': {
      const pair = [one(), one()];
      return pair.sort((a, b) => compare(a, b));
    }
    case 'IS_ANY_OF':
    case 'IS_NOT_ANY_OF':
      return [...new Set(Array.from({ length: 1 + dice.below(3) }, one))];
    case 'IS_ALL_OF': {
      // Two values of one list can both be there. Those of a single value contradict each other.
      const isList = field.stored.shape === 'list' || field.stored.shape === 'words';
      if (isList) return dice.some([...new Set(found())], 1 + dice.below(2));
      return dice.chance(0.1) ? [...new Set([one(), one()])] : [one()];
    }
    default:
      return [one()];
  }
}

/** The values of a field that a record has, as a caller writes them. */
function valuesOf(field: FilterField, comparison: SearchComparison, row: Row, dice: Dice, today: string): unknown[] {
  const { stored, value } = field;
  switch (stored.shape) {
    case 'status':
      return [dice.one(Object.keys(dealStatuses))];
    case 'words': {
      if (comparison === 'IS') return stored.whole.flatMap(({ column }) => listOf(row[column])).filter(isShort);
      const words = listOf(row[stored.column]).filter(isShort);
      // Phrases of one to three words of the record.
      return words.length === 0
        ? []
        : Array.from({ length: 2 }, () => dice.some(words, 1 + dice.below(3)).join(' ')).filter(isShort);
    }
    case 'list':
      return listOf(row[stored.column]);
    case 'one': {
      const [one] = listOf(row[stored.column]) as (string | number | boolean)[];
      if (one === undefined) return [];
      if (value.kind === 'age') return [yearsSince(String(one), today)];
      if (value.kind === 'industry') return [industryMembers.get(String(one))].filter((member) => member !== undefined);
      return [one];
    }
  }
}

function listOf(value: unknown): unknown[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? (value as unknown[]) : [value];
}

const isShort = (text: unknown): boolean => String(text).length > 0 && String(text).length <= 200;

function compare(a: unknown, b: unknown): number {
  const isNumber = /^\d+$/.test(String(a)) && /^\d+$/.test(String(b));
  return isNumber ? Number(a) - Number(b) : String(a) < String(b) ? -1 : 1;
}

function yearsSince(date: string, today: string): number {
  return Number(today.slice(0, 4)) - Number(date.slice(0, 4)) - (today.slice(5) < date.slice(5) ? 1 : 0);
}
