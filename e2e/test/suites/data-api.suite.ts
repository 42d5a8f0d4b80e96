import { beforeAll, describe, expect, it } from '@jest/globals';
import { startWideGateway } from '../../fuzz/wide-gateway.js';
import { call, until } from '../../src/http.js';
import type { PlatformProcess } from '../../src/platform-process.js';

interface Connection {
  totalCount: number;
  edges: { cursor: string; node: Record<string, unknown> }[];
  pageInfo: { hasNextPage: boolean; endCursor: string | null };
}
type GraphqlAnswer = {
  data?: Record<string, Connection>;
  errors?: { message: string; extensions: { code: string } }[];
};

/** Signs in on the gateway and makes an API key, as the two-step authentication has it. */
export async function newApiKey(platform: PlatformProcess, email: string, password: string): Promise<string> {
  const url = `${platform.url('graphql-gateway')}/auth/graphql`;
  const login = await call<{ data: { authenticateUser: { token: string } } }>('POST', url, {
    body: {
      query: 'mutation ($input: AuthenticateUserInput!) { authenticateUser(input: $input) { token } }',
      variables: { input: { email, password } },
    },
  });
  expect(login.status).toBe(200);
  const made = await call<{ data: { createApiKey: string } }>('POST', url, {
    bearer: login.body.data.authenticateUser.token,
    body: {
      query: 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) }',
      variables: { input: { name: 'whole-platform test' } },
    },
  });
  expect(made.status).toBe(200);
  return made.body.data.createApiKey;
}

export function describeDataApi(platform: () => PlatformProcess): void {
  describe('data API', () => {
    let key: string;
    const ask = (query: string, variables: Record<string, unknown> = {}, bearer = key) =>
      call<GraphqlAnswer>('POST', `${platform().url('graphql-gateway')}/graphql`, {
        bearer,
        body: { query, variables },
      });
    const fields = '{ totalCount edges { cursor node { id name } } pageInfo { hasNextPage endCursor } }';
    const companies = `query ($searchFilters: InputCompanySearchFilters, $after: String) { companiesConnection(searchFilters: $searchFilters, after: $after) ${fields} }`;

    beforeAll(async () => {
      key = await newApiKey(platform(), 'demo@example.com', 'demo-password-1');
    });

    it('serves ten data calls of sample data, one record each, and refuses the eleventh', async () => {
      const filters = { searchFilters: { keywords: [{ values: ['software'], comparison: 'IS_ANY_OF' }] } };
      const first = (await ask(companies, filters)).body.data?.['companiesConnection'];
      expect(first?.totalCount).toBeGreaterThan(1);
      expect(first?.edges).toHaveLength(1);
      expect(first?.pageInfo).toMatchObject({ hasNextPage: true, endCursor: first?.edges[0]?.cursor });
      const second = (await ask(companies, { ...filters, after: first?.pageInfo.endCursor })).body.data?.[
        'companiesConnection'
      ];
      expect(second?.edges[0]?.node['id']).not.toBe(first?.edges[0]?.node['id']);

      for (const query of [
        'query ($searchFilters: InputPersonsSearchFilters) { personsConnection(searchFilters: $searchFilters) { totalCount edges { node { id name } } } }',
        'query ($searchFilters: InputDealSearchFilters) { dealsConnection(searchFilters: $searchFilters) { totalCount edges { node { id title } } } }',
        'query ($filters: InputGetContactFilters) { contactsConnection(filters: $filters) { totalCount edges { node { id name } } } }',
      ]) {
        const answer = await ask(query);
        expect(answer.status).toBe(200);
        expect(Object.values(answer.body.data ?? {})[0]?.edges).toHaveLength(1);
      }
      for (let used = 5; used < 10; used += 1) expect((await ask(companies, filters)).status).toBe(200);
      const refused = await ask(companies, filters);
      expect(refused.status).toBe(429);
      expect(refused.body).toMatchObject({ error: 'Too Many Requests', statusCode: 429 });
      expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
    });

    it('refuses callers without a key, and unknown keys', async () => {
      for (const bearer of ['', 'svc_unknown', `${key.slice(0, -1)}!`]) {
        const answer = await ask('{ __typename }', {}, bearer);
        expect(answer.status).toBe(401);
        expect(answer.body).toMatchObject({ error: 'Unauthorized', statusCode: 401 });
      }
    });

    it('builds the index of every entity in a thread of the built program', async () => {
      const gateway = await startWideGateway(platform(), { FILTER_ENGINE: 'embedded' });
      try {
        const built = async () => {
          const { body } = await call<string>('GET', `${gateway.metricsUrl}/metrics`);
          return [...body.matchAll(/filter_index_built_total\{entity="(\w+)"\} [1-9]/g)].map(([, entity]) => entity!);
        };
        const all = await until('all indexes', 30_000, async () => {
          const entities = await built();
          return entities.length >= 4 ? entities : undefined;
        });
        expect(all.toSorted()).toEqual(['company', 'contact', 'deal', 'person']);
      } finally {
        await gateway.stop();
      }
    });

    it('serves every file that the page of the explorer names', async () => {
      const url = platform().url('graphql-gateway');
      const page = await call<string>('GET', `${url}/explorer`);
      const files = [...page.body.matchAll(/(?:src|href)="(\/explorer\/[^"]+)"/g)].map(([, path]) => path!);
      expect(files.length).toBeGreaterThan(4);
      for (const file of files) expect([file, (await call('GET', url + file)).status]).toEqual([file, 200]);
    });

    it('names every industry of the schema, 415 of them', async () => {
      const answer = await call<{ data: { __type: { enumValues: { name: string }[] } } }>(
        'POST',
        `${platform().url('graphql-gateway')}/graphql`,
        {
          bearer: key,
          body: { query: '{ __type(name: "Industry") { enumValues { name } } }' },
        },
      );
      expect(answer.body.data.__type.enumValues).toHaveLength(415);
    });
  });
}
