/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access --
   answers are JSON of any shape, and the assertions judge them */
// Valid documents whose arguments are wrong only with certain values of their variables.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startGateway, type TestGateway } from './support/gateway.js';

/** As deep as a JSONObject may be. */
const deep = JSON.parse('{"a":'.repeat(9) + '{}' + '}'.repeat(9)) as object;
const count = '{ totalCount }';

describe('faults in arguments', () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startGateway();
    ({ key } = await gateway.newKey());
  });
  afterAll(() => gateway.close());

  const unitsTaken = async () =>
    (
      await gateway.sql.query<{ days: string | null; minutes: string | null }>(
        'select (select sum(used) from daily_quota) as days, (select sum(used) from request_window) as minutes',
      )
    ).rows[0];

  it.each<[string, object, object]>([
    [
      `query ($name: String = "Company") { companiesConnection ${count} __type(name: $name) { name } }`,
      {},
      { name: null },
    ],
    [
      `query ($name: String = "Company") { companiesConnection ${count} ...f } fragment f on Query { __type(name: $name) { name } }`,
      { name: 'Deal' },
      { name: null },
    ],
    [
      `query ($sorter: JSONObject = {field: "title"}) { dealsConnection(sorters: [$sorter]) ${count} }`,
      {},
      { sorter: null },
    ],
    [`query ($id: Int = 1) { contactsConnection(filters: {companyIds: [$id]}) ${count} }`, {}, { id: null }],
    [
      `query ($skills: JSONObject) { contactsConnection(personSearchFilters: {skills: [$skills]}) ${count} }`,
      { skills: { values: ['Negotiation'] } },
      { skills: deep },
    ],
    [`query ($if: Boolean = false) { __typename companiesConnection @skip(if: $if) ${count} }`, {}, { if: null }],
    [
      'query ($if: Boolean = true) { companiesConnection { totalCount edges { cursor @include(if: $if) } } }',
      {},
      { if: null },
    ],
    [
      'query ($if: Boolean = true) { companiesConnection { ...f @include(if: $if) } } fragment f on CompanyConnection { totalCount }',
      {},
      { if: null },
    ],
  ])('are the caller’s and cost nothing, whether the operation is compiled or not: %s', async (query, good, bad) => {
    const ask = async (variables: object) => {
      const { status, body } = await gateway.data(key, query, variables as Record<string, unknown>);
      return { status, code: body.errors?.[0].extensions.code, message: body.errors?.[0].message };
    };
    const first = await ask(bad);
    expect(first).toEqual({ status: 400, code: 'BAD_USER_INPUT', message: expect.stringMatching(/^Argument "/) });
    for (let i = 0; i < 3; i++) expect(await ask(good)).toMatchObject({ status: 200 });
    const before = await unitsTaken();
    expect(await ask(bad)).toEqual(first);
    expect(await unitsTaken()).toEqual(before);
  });

  it('are found in mutations before anything is done', async () => {
    const before = await unitsTaken();
    const query = 'mutation ($name: String = "k") { createApiKey(input: {name: $name}) }';
    const { status, body } = await gateway.auth(null, query, { name: null });
    expect({ status, code: body.errors?.[0].extensions.code }).toEqual({ status: 400, code: 'BAD_USER_INPUT' });
    expect(await unitsTaken()).toEqual(before);
  });

  it('do not matter in fields that are not executed', async () => {
    const query = `query ($name: String = "Company", $if: Boolean!) { companiesConnection ${count}
      __type(name: $name) @include(if: $if) { name }
      ...f @include(if: $if)
      ... on Query @skip(if: true) { ...f }
    } fragment f on Query { other: __type(name: $name) { name } }`;
    for (let i = 0; i < 3; i++) expect((await gateway.data(key, query, { name: null, if: false })).status).toBe(200);
  });

  it('are told apart from a field that is null but must not be, which is a fault of the gateway', async () => {
    await gateway.sql.query('alter table company alter column name drop not null');
    await gateway.sql.query('insert into company (id, name) values (1, null)');
    for (let i = 0; i < 3; i++) {
      const { status, body } = await gateway.data(key, '{ companiesConnection { edges { node { name } } } }');
      expect({ status, body }).toEqual({
        status: 500,
        body: { message: 'Internal server error', error: 'Internal Server Error', statusCode: 500 },
      });
    }
  });
});
