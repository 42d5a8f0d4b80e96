// The four connections of the data API through its own client, and a second page by cursor.
import { DataApiError, DataClient } from '@tradewind/data-client';
import { timed, type DemoPage } from './demo-page.js';
import type { DemoPlatform } from './demo-platform.js';

/** Six of the ten data calls of the day. */
export async function queryConnections(platform: DemoPlatform, apiKey: string, page: DemoPage): Promise<void> {
  const url = platform.address('graphql-gateway');
  const client = new DataClient({ url, apiKey });
  const shown = async (name: string, ask: () => Promise<{ totalCount?: number; texts: string[] }>) => {
    const { result, seconds } = await timed(ask);
    const [first] = result.texts;
    page.check(`${name} answers`, first !== undefined, `${result.totalCount} found; first: ${first}`);
    page.figure('Data API', name, result.totalCount ?? 0, seconds);
  };

  const companies = (after?: string | null) =>
    client.page(
      'Company',
      { searchFilters: { keywords: [{ values: ['software'], comparison: 'IS_ANY_OF' }] } },
      { fields: ['id', 'name', 'ticker', 'headquarters'], count: true, ...(after ? { after } : {}) },
    );
  let firstPage: Awaited<ReturnType<typeof companies>> | undefined;
  await shown('companiesConnection', async () => {
    firstPage = await companies();
    return { ...firstPage, texts: firstPage.nodes.map((one) => `${one.name} (${one.ticker}), ${one.headquarters}`) };
  });
  if (firstPage?.pageInfo.hasNextPage) {
    const [next] = (await companies(firstPage.pageInfo.endCursor)).nodes;
    page.check(
      'the cursor leads to the next page',
      next !== undefined && next.id !== firstPage.nodes[0]?.id,
      `${next?.name} (${next?.ticker}), ${next?.headquarters}`,
    );
  }
  await shown('personsConnection', async () => {
    const found = await client.page(
      'Person',
      { searchFilters: { age: [{ values: [30, 60], comparison: 'BETWEEN' }] } },
      { fields: ['id', 'name', 'age'], count: true },
    );
    return { ...found, texts: found.nodes.map(({ name, age }) => `${name}, ${age}`) };
  });
  await shown('dealsConnection', async () => {
    const found = await client.page(
      'Deal',
      {
        searchFilters: { type: [{ values: ['SPONSORSHIP'], comparison: 'IS_ANY_OF' }] },
        sorters: [{ field: 'announcedDate', direction: 'DESC' }],
      },
      { fields: ['id', 'title', 'announcedDate'], count: true },
    );
    return { ...found, texts: found.nodes.map(({ title, announcedDate }) => `${title}, announced ${announcedDate}`) };
  });
  await shown('contactsConnection', async () => {
    const found = await client.page(
      'Contact',
      { filters: {}, sortBy: 'NAME', sortOrder: 'ASC' },
      { fields: ['id', 'name', 'email'], count: true },
    );
    return { ...found, texts: found.nodes.map(({ name, email }) => `${name}, ${email}`) };
  });

  const wrongKey = `${apiKey.slice(0, -1)}${apiKey.endsWith('0') ? '1' : '0'}`;
  const refusal: unknown = await new DataClient({ url, apiKey: wrongKey })
    .page('Company', {}, { fields: ['id'] })
    .catch((error: unknown) => error);
  const status = refusal instanceof DataApiError ? refusal.status : 200;
  page.check('a key that is wrong by one character is refused', status === 401, `HTTP ${status}`);
}
