// The typed client of libs/data-client against the gateway.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createApiKey, DataApiError, DataClient } from '@tradewind/data-client';
import { insertCompanies, insertContacts, insertDeals, insertPersons, money } from './support/records.js';
import { startGateway, type TestGateway } from './support/gateway.js';

describe('data client', () => {
  let gateway: TestGateway;
  let client: DataClient;
  beforeAll(async () => {
    gateway = await startGateway({ DATA_PAGE_SIZE: '3', DATA_CALLS_PER_DAY: '30' });
    const user = gateway.identity.addUser();
    const { url } = gateway.replicas[0]!;
    const apiKey = await createApiKey({
      url: `${url}/`,
      email: user.email,
      password: user.password,
      name: 'client',
      expiresInDays: 1,
    });
    client = new DataClient({ url, apiKey });
    await insertCompanies(
      gateway.sql,
      Array.from({ length: 8 }, (_, index) => ({
        revenue: money(index),
        revenue_amount: index,
        top_market_region_ids: [1],
      })),
    );
    await insertPersons(gateway.sql, [{ skill_ids: [1] }]);
    await insertDeals(gateway.sql, [{ title: 'B' }, { title: 'A' }]);
    await insertContacts(gateway.sql, [{ person_id: 1 }, {}]);
  });
  afterAll(() => gateway.close());

  const collect = async <T>(records: AsyncIterable<T>): Promise<T[]> => {
    const all: T[] = [];
    for await (const record of records) all.push(record);
    return all;
  };

  it('iterates over all pages with the fields asked for', async () => {
    const companies = await collect(
      client.companies(
        { searchFilters: { revenue: [{ values: [1], comparison: 'MORE_OR_EQUALS_THAN' }] } },
        { fields: ['id', 'revenue'] },
      ),
    );
    expect(companies.map(({ id }) => id)).toEqual(['2', '3', '4', '5', '6', '7', '8']);
    expect(companies[0]).toEqual({ id: '2', revenue: money(1) });
    expect(await collect(client.companies({ topMarkets: [{ values: ['1'] }] }, { fields: ['id'] }))).toHaveLength(8);
  });

  it('fetches every field of every record unless told otherwise', async () => {
    const [person] = await collect(client.persons({ searchFilters: { skills: [{ values: ['Negotiation'] }] } }));
    expect(person).toMatchObject({ id: '1', skills: ['Negotiation'], salary: { grossSalary: null } });
    expect((await collect(client.deals({ sorters: [{ field: 'title' }] }))).map(({ title }) => title)).toEqual([
      'A',
      'B',
    ]);
    expect(
      await collect(
        client.contacts({
          personSearchFilters: { skills: [{ values: ['Negotiation'] }] },
          sortBy: 'NAME',
          sortOrder: 'DESC',
        }),
      ),
    ).toHaveLength(1);
    expect(await collect(client.contacts({ filters: { query: 'contact' } }))).toHaveLength(2);
  });

  it('counts when asked, and continues from a cursor', async () => {
    const first = await client.page('Company', {}, { fields: ['id'], count: true });
    expect(first).toMatchObject({
      totalCount: 8,
      nodes: [{ id: '1' }, { id: '2' }, { id: '3' }],
      pageInfo: { hasNextPage: true },
    });
    const rest = await collect(client.companies({}, { fields: ['id'], after: first.pageInfo.endCursor! }));
    expect(rest).toHaveLength(5);
    expect(first.callsRemaining).toBeGreaterThan(0);
  });

  it('throws one kind of error for every refusal', async () => {
    const wrong = client
      .page('Company', { searchFilters: { region: [{ values: ['Atlantis'] }] } })
      .catch((error: unknown) => error);
    expect(await wrong).toMatchObject({
      name: 'DataApiError',
      status: 400,
      code: 'BAD_USER_INPUT',
      message: expect.stringContaining('Atlantis'),
    });
    const stranger = new DataClient({ url: gateway.replicas[0]!.url, apiKey: 'svc_x' });
    expect(await stranger.page('Deal', {}).catch((error: unknown) => error)).toMatchObject({
      status: 401,
      code: undefined,
      message: 'Invalid API key',
    });
    const exhausted = await (async () => {
      for (let i = 0; i < 40; i++) await client.page('Person', {}, { fields: ['id'] });
    })().catch((error: unknown) => error);
    expect(exhausted).toBeInstanceOf(DataApiError);
    expect(exhausted).toMatchObject({ status: 429, retryAfterSeconds: expect.any(Number) });
  });
});
