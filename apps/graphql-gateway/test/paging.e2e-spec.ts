/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-call --
   answers are JSON of any shape, and the assertions judge them */
// Cursors: every order that can be asked for, with nulls and ties, while rows come and go.
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { insertCompanies, insertContacts, insertDeals, insertPersons, money, type Row } from './support/records.js';
import { startGateway, type TestGateway } from './support/gateway.js';

const pageSize = 3;

describe('paging', () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startGateway({ DATA_PAGE_SIZE: String(pageSize) });
    ({ key } = await gateway.newKey());
  });
  afterAll(() => gateway.close());
  beforeEach(async () => {
    await gateway.sql.query('truncate company, person, deal, contact');
  });

  /** The ids of all pages; `meanwhile` may change the table between pages. */
  async function allIds(
    connection: string,
    args: string,
    variables: Record<string, unknown> = {},
    meanwhile?: (page: number) => Promise<unknown>,
    declarations = '',
  ): Promise<string[]> {
    const query = `query ($after: String${declarations}) { c: ${connection}(after: $after${args}) { edges { cursor node { id } } pageInfo { hasNextPage hasPreviousPage startCursor endCursor } } }`;
    const ids: string[] = [];
    let after: string | null = null;
    for (let page = 0; page < 100; page++) {
      const { status, body } = await gateway.data(key, query, { ...variables, after });
      expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
      const { edges, pageInfo } = body.data.c;
      expect(edges.length).toBeLessThanOrEqual(pageSize);
      expect(pageInfo.hasPreviousPage).toBe(after !== null);
      expect(pageInfo.startCursor).toBe(edges[0]?.cursor ?? null);
      expect(pageInfo.endCursor).toBe(edges.at(-1)?.cursor ?? null);
      ids.push(...edges.map((edge: { node: { id: string } }) => edge.node.id));
      if (!pageInfo.hasNextPage) return ids;
      after = pageInfo.endCursor;
      await meanwhile?.(page);
    }
    throw new Error('paging does not end');
  }

  // Every third value is missing and every value comes twice.
  const dealRows: Row[] = Array.from({ length: 20 }, (_, index) => {
    const rank = (index * 7) % 10;
    const day = index % 3 === 0 ? null : `2026-01-${String(rank + 1).padStart(2, '0')}`;
    const amount = index % 3 === 1 ? null : rank * 1000;
    return {
      id: index + 1,
      title: `Title ${rank}`,
      announced_date: day,
      start_date: day,
      end_date: day,
      annual_value: amount === null ? null : money(amount),
      annual_value_amount: amount,
      total_value: amount === null ? null : money(amount),
      total_value_amount: amount,
    };
  });
  const dealColumns: Record<string, string> = {
    announcedDate: 'announced_date',
    startDate: 'start_date',
    endDate: 'end_date',
    annualValue: 'annual_value_amount',
    totalValue: 'total_value_amount',
    title: 'title',
    id: 'id',
  };

  /** The documented order: nulls last, ties by id. */
  function expectedIds(rows: readonly Row[], keys: readonly { column: string; direction: string }[]): string[] {
    const sorted = [...rows].sort((a, b) => {
      for (const { column, direction } of [...keys, { column: 'id', direction: 'ASC' }]) {
        const [x, y] = [a[column], b[column]] as (string | number | null)[];
        if (x === y) continue;
        if (x === null || x === undefined) return 1;
        if (y === null || y === undefined) return -1;
        return (x < y ? -1 : 1) * (direction === 'ASC' ? 1 : -1);
      }
      return 0;
    });
    return sorted.map((row) => String(row['id']));
  }

  const cases = Object.keys(dealColumns).flatMap((field) =>
    ['ASC', 'DESC'].map((direction) => [field, direction] as const),
  );
  it.each(cases)('deals by %s %s are in order, each once', async (field, direction) => {
    await insertDeals(gateway.sql, dealRows);
    const ids = await allIds(
      'dealsConnection',
      ', sorters: $sorters',
      { sorters: [{ field, direction }] },
      undefined,
      ', $sorters: [JSONObject!]',
    );
    expect(ids).toEqual(expectedIds(dealRows, [{ column: dealColumns[field]!, direction }]));
  });

  it('deals by several sorters are in order, each once', async () => {
    await insertDeals(gateway.sql, dealRows);
    const sorters = [
      { field: 'announcedDate', direction: 'DESC' },
      { field: 'annualValue', direction: 'ASC' },
      { field: 'title', direction: 'DESC' },
    ];
    const ids = await allIds(
      'dealsConnection',
      ', sorters: $sorters',
      { sorters },
      undefined,
      ', $sorters: [JSONObject!]',
    );
    expect(ids).toEqual(
      expectedIds(
        dealRows,
        sorters.map(({ field, direction }) => ({ column: dealColumns[field]!, direction })),
      ),
    );
  });

  it.each(cases)(
    'deals by %s %s neither repeat nor miss a row while others are added and deleted',
    async (field, direction) => {
      await insertDeals(gateway.sql, dealRows);
      let next = 100;
      const removed = new Set<string>();
      const ids = await allIds(
        'dealsConnection',
        ', sorters: $sorters',
        { sorters: [{ field, direction }] },
        async (page) => {
          // New rows at both ends and in the middle; every other time the row of the cursor is deleted.
          await insertDeals(gateway.sql, [
            {
              id: next++,
              title: 'A first',
              announced_date: '2020-01-01',
              annual_value_amount: 1,
              total_value_amount: 1,
            },
            {
              id: next++,
              title: 'Z last',
              announced_date: '2030-01-01',
              annual_value_amount: 1e9,
              total_value_amount: 1e9,
            },
            { id: next++, title: 'Title 5' },
          ]);
          if (page % 2 === 0) {
            const { rows } = await gateway.sql.query(
              'delete from deal where id in (select id from deal where id <= 20 order by id limit 1 offset 3) returning id',
            );
            for (const row of rows as { id: string }[]) removed.add(row.id);
          }
          if (page > 12) await gateway.sql.query('delete from deal where id >= 100');
        },
        ', $sorters: [JSONObject!]',
      );
      expect(new Set(ids).size).toBe(ids.length);
      const kept = dealRows.map((row) => String(row['id'])).filter((id) => !removed.has(id));
      expect(kept.filter((id) => !ids.includes(id))).toEqual([]);
    },
  );

  const contactRows: Row[] = Array.from({ length: 14 }, (_, index) => {
    const rank = (index * 5) % 7;
    const isMissing = index % 4 === 0;
    return {
      id: index + 1,
      name: `Name ${rank}`,
      email: isMissing ? null : `e${rank}@example.com`,
      created_at: `2026-01-0${rank + 1}T00:00:00.123Z`,
      updated_at: `2026-02-0${rank + 1}T00:00:00.000Z`,
      person_name: isMissing ? null : `Person ${rank}`,
      person_birth_date: isMissing ? null : `198${rank}-01-01`,
      person_gross_salary_amount: isMissing ? null : rank * 10,
    };
  });
  const contactKeys: [string, string, (direction: string) => { column: string; direction: string }][] = [
    ...(['CREATED_AT', 'UPDATED_AT', 'NAME', 'EMAIL'] as const).map(
      (sort): [string, string, (direction: string) => { column: string; direction: string }] => [
        'sortBy',
        sort,
        (direction) => ({ column: sort.toLowerCase(), direction }),
      ],
    ),
    ['personSortBy', 'NAME', (direction) => ({ column: 'person_name', direction })],
    [
      'personSortBy',
      'AGE',
      (direction) => ({ column: 'person_birth_date', direction: direction === 'ASC' ? 'DESC' : 'ASC' }),
    ],
    ['personSortBy', 'GROSS_SALARY', (direction) => ({ column: 'person_gross_salary_amount', direction })],
  ];
  it.each(contactKeys)('contacts by %s %s are in order both ways, each once', async (argument, sort, keyOf) => {
    await insertContacts(gateway.sql, contactRows);
    for (const direction of ['ASC', 'DESC']) {
      const ids = await allIds('contactsConnection', `, ${argument}: ${sort}, sortOrder: ${direction}`);
      expect(ids).toEqual(expectedIds(contactRows, [keyOf(direction)]));
    }
  });

  it('contacts sort by their own key and a key of their person together', async () => {
    await insertContacts(
      gateway.sql,
      contactRows.map((row) => ({ ...row, name: 'Same' })),
    );
    const ids = await allIds('contactsConnection', ', sortBy: NAME, personSortBy: GROSS_SALARY, sortOrder: DESC');
    expect(ids).toEqual(expectedIds(contactRows, [{ column: 'person_gross_salary_amount', direction: 'DESC' }]));
  });

  it('companies and persons page by id, with filters too', async () => {
    await insertCompanies(
      gateway.sql,
      Array.from({ length: 10 }, (_, index) => ({ number_of_employees: index })),
    );
    await insertPersons(
      gateway.sql,
      Array.from({ length: 7 }, () => ({})),
    );
    expect(await allIds('personsConnection', '')).toEqual(['1', '2', '3', '4', '5', '6', '7']);
    const searchFilters = { numberOfEmployees: [{ values: [2], comparison: 'MORE_THAN' }] };
    const ids = await allIds(
      'companiesConnection',
      ', searchFilters: $searchFilters',
      { searchFilters },
      undefined,
      ', $searchFilters: InputCompanySearchFilters',
    );
    expect(ids).toEqual(['4', '5', '6', '7', '8', '9', '10']);
  });

  it('refuses a cursor of another query, and invalid cursors', async () => {
    await insertDeals(gateway.sql, dealRows);
    const query =
      'query ($searchFilters: InputDealSearchFilters, $sorters: [JSONObject!], $after: String) { dealsConnection(searchFilters: $searchFilters, sorters: $sorters, after: $after) { totalCount pageInfo { endCursor } } }';
    const searchFilters = { title: [{ values: ['Title'] }] };
    const first = await gateway.data(key, query, { searchFilters });
    const after = first.body.data.dealsConnection.pageInfo.endCursor as string;
    const reordered = { title: [{ comparison: 'IS_ANY_OF', values: ['Title'] }] };
    expect((await gateway.data(key, query, { searchFilters: reordered, after })).status).toBe(200);
    const wrong = [
      { after },
      { searchFilters: { title: [{ values: ['Other'] }] }, after },
      { searchFilters, sorters: [{ field: 'title' }], after },
      { searchFilters, after: 'nonsense' },
      { searchFilters, after: '' },
      { searchFilters, after: Buffer.from('["x","1"]').toString('base64url') },
      { searchFilters, after: Buffer.from('[1,2]').toString('base64url') },
      { searchFilters, after: `${after}=` },
    ];
    for (const variables of wrong) {
      const { status, body } = await gateway.data(key, query, variables);
      expect({ after: variables.after, status, code: body.errors?.[0].extensions.code }).toEqual({
        after: variables.after,
        status: 400,
        code: 'BAD_USER_INPUT',
      });
    }
    // A deal's cursor on companies: same position, other query.
    const deals = await gateway.data(key, '{ dealsConnection { pageInfo { endCursor } } }');
    const foreign = await gateway.data(
      key,
      'query ($after: String) { companiesConnection(after: $after) { totalCount } }',
      { after: deals.body.data.dealsConnection.pageInfo.endCursor },
    );
    expect(foreign.status).toBe(400);
    expect(foreign.body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });

  it.each([
    ['announcedDate', 'not a date'],
    ['announcedDate', '2026-02-30'],
    ['announcedDate', '2026-01-01\u0000'],
    ['annualValue', '1e5'],
    ['annualValue', '9223372036854775808'],
    ['title', 'a\u0000'],
    ['title', null],
    ['id', '9999999999999999999'],
    ['id', null],
  ])('refuses a cursor whose %s was changed to %j by hand, instead of asking the store', async (field, value) => {
    await insertDeals(gateway.sql, dealRows);
    const query =
      'query ($sorters: [JSONObject!], $after: String) { dealsConnection(sorters: $sorters, after: $after) { pageInfo { endCursor } } }';
    const variables = { sorters: [{ field }] };
    const { body } = await gateway.data(key, query, variables);
    const endCursor = body.data.dealsConnection.pageInfo.endCursor as string;
    const parts = JSON.parse(Buffer.from(endCursor, 'base64url').toString()) as unknown[];
    parts[1] = value;
    const after = Buffer.from(JSON.stringify(parts)).toString('base64url');
    const forged = await gateway.data(key, query, { ...variables, after });
    expect(forged.status).toBe(400);
    expect(forged.body.errors[0].extensions.code).toBe('BAD_USER_INPUT');
  });
});
