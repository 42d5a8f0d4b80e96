// The promises of Warehouse, for every implementation.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { createHash, randomUUID } from 'node:crypto';
import type { PriorityPerson, Warehouse } from '../../src/warehouse.port.js';
import type { WarehouseRows } from '../../src/warehouse-tables.js';

export interface WarehouseSubject {
  /** Migrated and empty. */
  warehouse: Warehouse;
  /** Another one on the same tables, as another replica has it. */
  replica: Warehouse;
  /** Size of the one large append; an emulator may say less than the usual 2,500 rows of 5,000 bytes. */
  bulk?: { rows: number; textBytes: number };
  close(): Promise<void>;
}

type Post = WarehouseRows['network_posts'];
type Call = WarehouseRows['scraped_profile_calls'];

export const rowId = (...parts: string[]) => createHash('sha256').update(parts.join('|')).digest('hex');

export function post(overrides: Partial<Post> = {}): Post {
  return {
    row_id: rowId(randomUUID()),
    provider_run_id: 'run-1',
    user_company_id: 'company-1',
    network_username: 'ada-lovelace',
    entity_type: 'PERSON',
    post_id: '7100000000000000001',
    url: 'https://network.example/posts/1',
    content: 'Notes on the analytical engine',
    author_id: 'ada-lovelace',
    author_name: 'Ada Lovelace',
    author_type: 'profile',
    author_url: null,
    posted_at: new Date('2026-10-01T08:30:00.123Z'),
    is_repost: false,
    repost_id: null,
    reposted_by: null,
    likes: 12,
    comments: 0,
    shares: null,
    reaction_counts: [{ type: 'LIKE', count: 12 }],
    media: null,
    raw: { type: 'post', id: '1', engagement: { likes: 12 } },
    ingested_at: new Date('2026-11-01T00:00:00.000Z'),
    ...overrides,
  };
}

export function profileCall(overrides: Partial<Call> = {}): Call {
  return {
    row_id: rowId(randomUUID()),
    requestResource: 'ada-lovelace',
    requestType: 'SCRAPER_API_PERSON',
    requestDate: new Date('2026-11-01T10:00:00.000Z'),
    requestStatus: 'SUCCESS',
    responseData: { name: 'Ada Lovelace', headline: 'Mathematician', location: 'London' },
    ingested_at: new Date('2026-11-01T10:00:01.000Z'),
    ...overrides,
  };
}

export function warehouseContract(name: string, open: () => Promise<WarehouseSubject>): void {
  describe(`${name} keeps the contract of Warehouse`, () => {
    let subject: WarehouseSubject;
    beforeAll(async () => {
      subject = await open();
    }, 180_000);
    afterAll(async () => {
      await subject.close();
    });

    it('migrates twice and in parallel without harm', async () => {
      const { warehouse, replica } = subject;
      await Promise.all([warehouse.migrate(), replica.migrate(), warehouse.migrate(), replica.migrate()]);
      await warehouse.migrate();
      await expect(warehouse.ping()).resolves.toBeUndefined();
    }, 120_000);

    it('counts a row once, however often and through whichever replica it is appended', async () => {
      const { warehouse, replica } = subject;
      const run = `run-${randomUUID()}`;
      const rows = Array.from({ length: 25 }, (_, index) => post({ provider_run_id: run, post_id: String(index) }));
      const first = await warehouse.append('network_posts', rows);
      expect(first).toEqual({ appended: 25, rejected: [] });
      expect((await replica.append('network_posts', rows)).rejected).toEqual([]);
      expect(await warehouse.countOfRun('network_posts', run)).toBe(25);
      expect(await replica.countOfRun('network_posts', run)).toBe(25);
    });

    it('stores each row once when replicas append overlapping rows at the same time', async () => {
      const { warehouse, replica } = subject;
      const run = `run-${randomUUID()}`;
      const rows = Array.from({ length: 60 }, (_, index) => post({ provider_run_id: run, post_id: String(index) }));
      await Promise.all(
        Array.from({ length: 6 }, (_, index) =>
          (index % 2 ? replica : warehouse).append('network_posts', index % 3 ? rows.toReversed() : rows.slice(index)),
        ),
      );
      expect(await warehouse.countOfRun('network_posts', run)).toBe(60);
    });

    it('is idempotent for any sequence of appends of any parts of a run', async () => {
      const { warehouse } = subject;
      await fc.assert(
        fc.asyncProperty(
          fc.array(fc.array(fc.nat({ max: 7 }), { minLength: 1, maxLength: 10 }), { minLength: 1, maxLength: 4 }),
          async (appends) => {
            const run = `run-${randomUUID()}`;
            for (const indexes of appends) {
              await warehouse.append(
                'network_posts',
                indexes.map((index) => post({ row_id: rowId(run, String(index)), provider_run_id: run })),
              );
            }
            expect(await warehouse.countOfRun('network_posts', run)).toBe(new Set(appends.flat()).size);
          },
        ),
        { numRuns: 12 },
      );
    });

    it('stores the good rows, and names each refused one with its reason', async () => {
      const { warehouse } = subject;
      const run = `run-${randomUUID()}`;
      const good = post({ provider_run_id: run });
      const wrongType = post({ provider_run_id: run, likes: 'many' as unknown as number });
      const missing = post({ provider_run_id: run, post_id: undefined as unknown as string });
      const strange = { ...post({ provider_run_id: run }), colour: 'blue' };
      const deep = post({ provider_run_id: run, raw: JSON.parse('['.repeat(50_000) + ']'.repeat(50_000)) as object });
      const result = await warehouse.append('network_posts', [wrongType, good, missing, strange, deep]);
      expect(result.appended).toBe(1);
      expect(new Map(result.rejected.map((each) => [each.row_id, each.reason]))).toEqual(
        new Map([
          [wrongType.row_id, 'likes is not of type integer'],
          [missing.row_id, 'post_id is missing'],
          [strange.row_id, 'colour is not a column'],
          [deep.row_id, 'a value cannot be written as JSON'],
        ]),
      );
      expect(await warehouse.countOfRun('network_posts', run)).toBe(1);
    });

    it('accepts no rows, and very many at once', async () => {
      const { warehouse } = subject;
      expect(await warehouse.append('network_posts', [])).toEqual({ appended: 0, rejected: [] });
      const run = `run-${randomUUID()}`;
      const { rows: count, textBytes } = subject.bulk ?? { rows: 2_500, textBytes: 5_000 };
      const raw = { text: 'x'.repeat(textBytes) };
      const rows = Array.from({ length: count }, (_, index) =>
        post({ row_id: rowId(run, String(index)), provider_run_id: run, raw }),
      );
      expect((await warehouse.append('network_posts', rows)).appended).toBe(count);
      expect(await warehouse.countOfRun('network_posts', run)).toBe(count);
    }, 120_000);

    it('counts comments and reactions of a run apart from its posts', async () => {
      const { warehouse } = subject;
      const run = `run-${randomUUID()}`;
      const { provider_run_id, user_company_id, network_username, entity_type, ingested_at, raw } = post({
        provider_run_id: run,
      });
      const shared = { provider_run_id, user_company_id, network_username, entity_type, ingested_at, raw };
      await warehouse.append('network_post_comments', [
        { ...shared, row_id: rowId(run, 'c1'), comment_id: 'c1', post_id: 'p1', url: null, text: 'Well said', author_id: 'a', author_name: 'A', author_url: null, author_position: null, is_post_author: false, created_at: new Date('2026-10-02T00:00:00Z'), reply_count: 0, reaction_counts: [], pinned: false, edited: null }, // prettier-ignore
      ]);
      await warehouse.append(
        'network_post_reactions',
        ['r1', 'r2'].map((id) => ({ ...shared, row_id: rowId(run, id), reaction_id: id, post_id: 'p1', reaction_type: 'LIKE', actor_id: 'a', actor_name: 'A', actor_url: null, actor_position: null })), // prettier-ignore
      );
      expect(await warehouse.countOfRun('network_posts', run)).toBe(0);
      expect(await warehouse.countOfRun('network_post_comments', run)).toBe(1);
      expect(await warehouse.countOfRun('network_post_reactions', run)).toBe(2);
    });

    it('reads the items of a run page by page, the latest first, each once', async () => {
      const { warehouse, replica } = subject;
      const run = `run-${randomUUID()}`;
      const times = [null, '2026-10-01T00:00:00.001Z', '2026-10-03T00:00:00Z', '2026-10-01T00:00:00Z', null];
      const rows = [...times, ...times].map((time, index) =>
        post({
          row_id: rowId(run, String(index)),
          provider_run_id: run,
          post_id: String(index),
          posted_at: time === null ? null : new Date(time),
        }),
      );
      await warehouse.append('network_posts', [...rows, post({ provider_run_id: `${run}2` })]);
      await replica.append('network_posts', rows);
      const order = ({ posted_at: at, row_id: id }: Pick<Post, 'posted_at' | 'row_id'>) =>
        `${String(9e15 - (at?.getTime() ?? 0)).padStart(20, '0')} ${id}`;
      const expected = rows.toSorted((a, b) => (order(a) < order(b) ? -1 : 1));
      const first = await replica.readItemsOfRun('network_posts', run, { limit: 20 });
      const { raw: _, media: _media, reaction_counts: _counts, ...item } = expected[0]!;
      expect(first[0]).toEqual(item);
      expect(first.map(({ post_id: id }) => id)).toEqual(expected.map(({ post_id: id }) => id));
      for (const limit of [1, 3]) {
        const read: string[] = [];
        let last: (typeof first)[number] | undefined;
        do {
          const after = last && { at: last.posted_at, row_id: last.row_id };
          const page = await warehouse.readItemsOfRun('network_posts', run, { after, limit });
          expect(page.length).toBeLessThanOrEqual(limit);
          read.push(...page.map(({ post_id: id }) => id));
          last = page.at(-1);
        } while (last);
        expect(read).toEqual(expected.map(({ post_id: id }) => id));
      }
      const { provider_run_id, user_company_id, network_username, entity_type, ingested_at, raw } = rows[0]!;
      const shared = { provider_run_id, user_company_id, network_username, entity_type, ingested_at, raw };
      await warehouse.append(
        'network_post_reactions',
        ['r1', 'r2', 'r3'].map((id) => ({ ...shared, row_id: rowId(run, id), reaction_id: id, post_id: 'p1', reaction_type: 'LIKE', actor_id: 'a', actor_name: 'A', actor_url: null, actor_position: null })), // prettier-ignore
      );
      const reactions = await warehouse.readItemsOfRun('network_post_reactions', run, { limit: 2 });
      const after = { at: null, row_id: reactions[1]!.row_id };
      const rest = await warehouse.readItemsOfRun('network_post_reactions', run, { after, limit: 2 });
      expect([...reactions, ...rest].map(({ row_id: id }) => id)).toEqual(
        ['r1', 'r2', 'r3'].map((id) => rowId(run, id)).toSorted(),
      );
      expect(await warehouse.readItemsOfRun('network_post_comments', run, { limit: 2 })).toEqual([]);
    });

    it('returns the call with the latest requestDate, whatever the order of appends', async () => {
      const { warehouse, replica } = subject;
      const requestResource = `person-${randomUUID()}`;
      const calls = [
        profileCall({ requestResource, requestDate: new Date('2026-11-03T00:00:00.000Z'), requestStatus: 'FAILED' }),
        profileCall({
          requestResource,
          requestDate: new Date('2026-11-03T00:00:00.001Z'),
          responseData: { name: 'Grace "Amazing" Hopper', tags: ['ü', '🚢', null], rank: 1.5 },
        }),
        profileCall({ requestResource, requestDate: new Date('2026-10-03T00:00:00.000Z') }),
        profileCall({ requestResource, requestType: 'OTHER', requestDate: new Date('2026-11-09T00:00:00.000Z') }),
        profileCall({ requestResource: `${requestResource}2`, requestDate: new Date('2026-11-09T00:00:00.000Z') }),
      ];
      for (const call of calls) await warehouse.append('scraped_profile_calls', [call]);
      await warehouse.append('scraped_profile_calls', calls.toReversed());
      expect(await replica.latestProfileCall(requestResource, 'SCRAPER_API_PERSON')).toEqual({
        requestResource,
        requestType: 'SCRAPER_API_PERSON',
        requestDate: new Date('2026-11-03T00:00:00.001Z'),
        requestStatus: 'SUCCESS',
        responseData: { name: 'Grace "Amazing" Hopper', tags: ['ü', '🚢', null], rank: 1.5 },
      });
      expect(await warehouse.latestProfileCall(`nobody-${randomUUID()}`, 'SCRAPER_API_PERSON')).toBeUndefined();
    });

    it('keeps text as it is, and replaces only characters that no database can hold', async () => {
      const { warehouse } = subject;
      const requestResource = `person-${randomUUID()}`;
      const nasty = `quote ' double " back \\ tab \t line \n emoji 👩‍🚀 null \0 half \ud83d end`;
      await warehouse.append('scraped_profile_calls', [
        profileCall({ requestResource, responseData: { text: nasty, list: [nasty], 'key \0': true } }),
      ]);
      const stored = nasty.replace('\0', '\uFFFD').replace('half \ud83d', 'half \uFFFD');
      const call = await warehouse.latestProfileCall(requestResource, 'SCRAPER_API_PERSON');
      expect(call?.responseData).toEqual({ text: stored, list: [stored], 'key \uFFFD': true });
    });

    describe('priority people', () => {
      const uuid = (index: number) => `00000000-0000-4000-8000-${String(index).padStart(12, '0')}`;
      const field = (index: number, isPriority: boolean, day = 1) => ({
        row_id: rowId('field', String(index), String(isPriority), String(day)),
        person_id: uuid(index),
        isPriority,
        ingested_at: new Date(Date.UTC(2026, 9, day)),
      });
      const identifier = (index: number, identifierValue: string | null, identifierType = 'NETWORK') => ({
        row_id: rowId('identifier', String(index), identifierType, String(identifierValue)),
        person_id: uuid(index),
        identifierType,
        identifierValue,
        ingested_at: new Date(Date.UTC(2026, 9, 1)),
      });
      const expected: PriorityPerson[] = [
        { person_id: uuid(1), network_username: 'one' },
        { person_id: uuid(3), network_username: null },
        { person_id: uuid(4), network_username: 'Four-b' },
        { person_id: uuid(4), network_username: 'four-a' },
        { person_id: uuid(6), network_username: null },
        { person_id: uuid(6), network_username: '' },
        { person_id: uuid(6), network_username: 'six' },
        { person_id: uuid(7), network_username: 'seven ü' },
      ];

      const pages = async (pageSize: number, after?: PriorityPerson) => {
        const read: PriorityPerson[][] = [];
        for await (const page of subject.warehouse.readPriorityPeople({ pageSize, ...(after ? { after } : {}) })) {
          read.push(page);
        }
        return read;
      };

      beforeAll(async () => {
        const { warehouse } = subject;
        const fields = [
          field(7, true),
          field(6, true),
          field(1, true),
          field(2, false),
          field(3, true),
          field(4, true),
        ];
        await warehouse.append('person_fields', fields);
        // Said twice, taken back, and given back.
        await warehouse.append('person_fields', [field(1, true, 2), field(5, true), field(5, false, 2), field(7, false, 2), field(7, true, 3)]); // prettier-ignore
        await warehouse.append('person_identifiers', [
          identifier(1, 'one'),
          identifier(1, 'one@example.com', 'EMAIL'),
          identifier(2, 'two'),
          identifier(3, 'three@example.com', 'EMAIL'),
          identifier(4, 'four-a'),
          identifier(4, 'Four-b'),
          identifier(5, 'five'),
          identifier(6, null),
          identifier(6, ''),
          identifier(6, 'six'),
          identifier(7, 'seven ü'),
        ]);
      });

      it('are those whose latest row says so, with every username of the network, in order', async () => {
        expect((await pages(100)).flat()).toEqual(expected);
      });

      it.each([1, 2, 3, 8])('come in pages of %i, which together hold each person once', async (pageSize) => {
        const read = await pages(pageSize);
        expect(read.flat()).toEqual(expected);
        for (const page of read.slice(0, -1)) expect(page).toHaveLength(pageSize);
        expect(read.every((page) => page.length > 0)).toBe(true);
      });

      it('can be read from behind any of them', async () => {
        for (const [index, after] of expected.entries()) {
          expect((await pages(3, after)).flat()).toEqual(expected.slice(index + 1));
        }
      });
    });
  });
}
