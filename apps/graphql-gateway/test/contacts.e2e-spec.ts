/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-call --
   answers are JSON of any shape, and the assertions judge them */
// Every argument of contactsConnection, and who sees which contact.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { insertContacts, insertPersons } from './support/records.js';
import { startGateway, type TestGateway } from './support/gateway.js';

const query = `query ($filters: InputGetContactFilters, $personSearchFilters: JSONObject) {
  contactsConnection(filters: $filters, personSearchFilters: $personSearchFilters) { totalCount edges { node { id } } }
}`;
const hour = 3_600_000;

/** Marks whose normalisation takes time with the square of their number. */
const disorderedMarks = `a${'\u0301\u0316'.repeat(40_000)}`;
/** Each is allowed, but together they exceed a text search query of PostgreSQL. */
const manyLongTexts = Array.from({ length: 500 }, (_, index) => `${index}${'㍿'.repeat(140)} ${'㍿'.repeat(140)}`);
/** A value with that many levels. */
const nested = (levels: number): object => (levels === 1 ? {} : { a: nested(levels - 1) });

describe('contact arguments', () => {
  let gateway: TestGateway;
  let mine: string;
  let other: string;
  beforeAll(async () => {
    gateway = await startGateway({ DATA_PAGE_SIZE: '100' });
    const me = await gateway.newKey();
    const they = await gateway.newKey();
    mine = me.key;
    other = they.key;
    const ago = (ms: number) => new Date(Date.now() - ms).toISOString();
    await insertPersons(gateway.sql, [
      { id: 1, skill_ids: [1, 2], gross_salary_amount: 50_000 },
      { id: 2, skill_ids: [2] },
    ]);
    await insertContacts(gateway.sql, [
      {
        id: 1,
        name: 'Maria Keller',
        email: 'Maria@Example.com',
        emails: ['Maria@Example.com', 'mk@other.example'],
        company_id: 10,
        company_name: 'Äcme',
        person_id: 1,
        person_name: 'Maria Anna Keller',
        user_id: 7,
        import_id: 3,
        opportunity_ids: [5, 6],
        collection_ids: [8],
        matching_status: 'MATCHED',
        sync_source_type: 'CRM',
        sync_source_name: 'HUBSPOT',
        has_sync_issues: true,
        is_crm: true,
        created_at: '2026-01-01T00:00:00.000Z',
        updated_at: ago(0.5 * hour),
      },
      {
        id: 2,
        name: 'John Doe',
        email: 'john@example.com',
        emails: ['john@example.com'],
        company_id: 11,
        company_name: 'Beta',
        person_id: 2,
        user_id: 8,
        matching_status: 'PENDING',
        sync_source_type: 'EMAIL',
        sync_source_name: 'GOOGLE',
        created_at: '2026-01-02T00:00:00.000Z',
        updated_at: ago(5 * hour),
      },
      {
        id: 3,
        name: 'No Company',
        matching_status: 'UNMATCHED',
        sync_source_type: 'IMPORT',
        sync_source_name: 'CSV',
        has_sync_issues: true,
        is_contact: false,
        created_at: '2026-01-03T00:00:00.000Z',
        updated_at: ago(50 * hour),
      },
      {
        id: 4,
        name: 'Private of me',
        owner_id: me.user.id,
        is_shared: false,
        created_at: '2025-01-01T00:00:00.000Z',
        updated_at: ago(900 * hour),
      },
      {
        id: 5,
        name: 'Private of them',
        owner_id: they.user.id,
        is_shared: false,
        created_at: '2025-01-01T00:00:00.000Z',
        updated_at: ago(900 * hour),
      },
      {
        id: 6,
        name: 'Shared of me',
        owner_id: me.user.id,
        created_at: '2025-01-01T00:00:00.000Z',
        updated_at: ago(900 * hour),
      },
      { id: 7, name: 'Deleted', is_deleted: true, created_at: '2025-01-01T00:00:00.000Z', updated_at: ago(900 * hour) },
      {
        id: 8,
        name: 'Blacklisted',
        is_blacklisted: true,
        created_at: '2025-01-01T00:00:00.000Z',
        updated_at: ago(900 * hour),
      },
    ]);
  });
  afterAll(() => gateway.close());

  const found = async (filters: object | null, key = mine, personSearchFilters?: object) => {
    const { status, body } = await gateway.data(key, query, { filters, personSearchFilters });
    expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
    const ids = body.data.contactsConnection.edges.map((edge: { node: { id: string } }) =>
      Number(edge.node.id),
    ) as number[];
    expect(body.data.contactsConnection.totalCount).toBe(ids.length);
    return ids;
  };

  it.each<[object, number[]]>([
    [{}, [1, 2, 3, 4, 6]],
    [{ contactIds: [1, 3, 5] }, [1, 3]],
    [{ contactIds: [2] }, [2]],
    [{ personIds: [1, 2] }, [1, 2]],
    [{ companyIds: [10] }, [1]],
    [{ noCompanyIds: [10] }, [2, 3, 4, 6]],
    [{ opportunityIds: [6, 9] }, [1]],
    [{ userId: [7, 9] }, [1]],
    [{ importId: [3] }, [1]],
    [{ collectionId: [8] }, [1]],
    [{ email: 'maria@example.COM' }, [1]],
    [{ email: ' MK@other.example ' }, [1]],
    [{ email: 'other.example' }, []],
    [{ query: 'keller' }, [1]],
    [{ query: 'KELLER acm' }, [1]],
    [{ query: 'kel anna' }, []],
    [{ query: 'anna kel' }, [1]],
    [{ query: 'example' }, [1, 2]],
    [{ filterType: 'ALL' }, [1, 2, 3, 4, 6]],
    [{ filterType: 'MINE' }, [4, 6]],
    [{ filterType: 'SHARED' }, [1, 2, 3, 6]],
    [{ matchingStatus: ['MATCHED', 'PENDING'] }, [1, 2]],
    [{ syncSourceType: ['CRM'] }, [1]],
    [{ syncSourceNameWithSyncIssues: ['HUBSPOT', 'GOOGLE'] }, [1]],
    [{ fromCreatedAt: '2026-01-02T00:00:00Z' }, [2, 3]],
    [{ fromCreatedAt: '2026-01-01T00:00:00Z', toCreatedAt: '2026-01-02T00:00:00Z' }, [1, 2]],
    [{ fromCreatedAt: '2026-01-03T13:30:00+13:30' }, [3]],
    [{ fromCreatedAt: Date.parse('2026-01-03T00:00:00Z') }, [3]],
    [{ toCreatedAt: '2026-01-01T01:00:00+01:00' }, [1, 4, 6]],
    [{ updatedInLastHours: 1 }, [1]],
    [{ updatedInLastHours: 5.5 }, [1, 2]],
    [{ fromUpdatedAt: new Date(Date.now() - 24 * hour).toISOString() }, [1, 2]],
    [{ toUpdatedAt: new Date(Date.now() - 24 * hour).toISOString() }, [3, 4, 6]],
    [{ isContact: false }, [3]],
    [{ isCrm: true }, [1]],
    [{ hasSyncIssues: true }, [1, 3]],
    [{ hasSyncIssues: false }, [2, 4, 6]],
    [{ onlyInCollections: true }, [1]],
    [{ onlyInCollections: false }, [1, 2, 3, 4, 6]],
    [{ isDeleted: true }, [7]],
    [{ isDeleted: false }, [1, 2, 3, 4, 6]],
    [{ includeBlacklisted: true }, [1, 2, 3, 4, 6, 8]],
    [{ hasSyncIssues: true, isContact: true, query: 'keller' }, [1]],
    [{ query: null, companyIds: null }, [1, 2, 3, 4, 6]],
  ])('%j finds %j', async (filters, ids) => {
    expect(await found(filters)).toEqual(ids);
  });

  it('shows private contacts to their owner alone', async () => {
    expect(await found({}, other)).toEqual([1, 2, 3, 5, 6]);
    expect(await found({ filterType: 'MINE' }, other)).toEqual([5]);
    expect(await found({ contactIds: [4] }, other)).toEqual([]);
    expect(await found({ query: 'private' }, other)).toEqual([5]);
  });

  it.each<[object, number[]]>([
    [{ skills: [{ values: ['negotiation'] }] }, [1]],
    [{ skills: [{ values: ['Sponsorship'], comparison: 'IS_ANY_OF' }] }, [1, 2]],
    [{ grossSalary: [{ values: [40_000], comparison: 'MORE_THAN' }], skills: { values: ['Sponsorship'] } }, [1]],
  ])('personSearchFilters %j finds %j', async (filters, ids) => {
    expect(await found(null, mine, filters)).toEqual(ids);
  });

  it.each([{}, { skills: null }, { skills: [] }])(
    'personSearchFilters %j has no condition on the person',
    async (filters) => {
      const all = await found(null);
      expect(all).toContain(3);
      expect(await found(null, mine, filters)).toEqual(all);
    },
  );

  it('counts again when the persons of the contacts change', async () => {
    const filters = { skills: [{ values: ['Leadership'] }] };
    expect(await found(null, mine, filters)).toEqual([]);
    await gateway.sql.query('update person set skill_ids = $1 where id = 2', [[2, 5]]);
    expect(await found(null, mine, filters)).toEqual([2]);
    await gateway.sql.query('update person set skill_ids = $1 where id = 2', [[2]]);
  });

  it.each<[string, object]>([
    ['filters.contactIds needs at least one value', { filters: { contactIds: [] } }],
    ['filters.noCompanyIds takes at most 500 values, got 501', { filters: { noCompanyIds: Array(501).fill(1) } }],
    ['matchingStatus', { filters: { matchingStatus: [] } }],
    ['query', { filters: { query: ' - ' } }],
    ['email', { filters: { email: 'a\u0000b@example.com' } }],
    ['updatedInLastHours', { filters: { updatedInLastHours: 0 } }],
    ['updatedInLastHours', { filters: { updatedInLastHours: -1 } }],
    ['updatedInLastHours must be more than 0', { filters: { updatedInLastHours: 8_766_001 } }],
    ['fromCreatedAt', { filters: { fromCreatedAt: '2026-01-01' } }],
    ['fromCreatedAt', { filters: { fromCreatedAt: '2026-02-30T00:00:00Z' } }],
    ['toUpdatedAt', { filters: { toUpdatedAt: '2025-02-29T23:59:59+14:00' } }],
    ['skills', { personSearchFilters: { skills: [{ values: [] }] } }],
    ['nonsense', { personSearchFilters: { nonsense: [{ values: [1] }] } }],
    ['personSearchFilters', { personSearchFilters: [1] }],
    ['300 characters', { filters: { query: 'a'.repeat(301) } }],
    ['300 characters', { filters: { query: 'a'.repeat(2047) } }],
    ['300 characters', { filters: { query: 'a'.repeat(3000) } }],
    ['300 characters', { filters: { query: disorderedMarks } }],
    ['254 characters', { filters: { email: 'a'.repeat(255) } }],
    ['254 characters', { filters: { email: disorderedMarks } }],
    // One character, which is normalised to four characters of three bytes each.
    ['a word that is too long', { filters: { query: '㍿'.repeat(299) } }],
    ['a word that is too long', { filters: { email: '㍿'.repeat(254) } }],
    ['200000 bytes', { personSearchFilters: { name: [{ values: manyLongTexts }] } }],
    ['300 characters', { personSearchFilters: { name: [{ values: [disorderedMarks] }] } }],
    ['300 characters', { personSearchFilters: { skills: [{ values: [disorderedMarks] }] } }],
    ['JSONObject must not be nested in more than 10 levels', { personSearchFilters: { skills: nested(11) } }],
    ['JSONObject must not be nested in more than 10 levels', { personSearchFilters: nested(90) }],
    ['a filter is an object', { personSearchFilters: { skills: [[['Negotiation']]] } }],
  ])('refuses a wrong %s', async (name, variables) => {
    const before = process.cpuUsage();
    const { status, body } = await gateway.data(mine, query, variables as Record<string, unknown>);
    expect({ status, code: body.errors?.[0].extensions.code }).toEqual({ status: 400, code: 'BAD_USER_INPUT' });
    expect(body.errors[0].message).toContain(name);
    expect(process.cpuUsage(before).user / 1000).toBeLessThan(200);
  });
});
