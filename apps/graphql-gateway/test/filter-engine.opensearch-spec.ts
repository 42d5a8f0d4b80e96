// The gateway with FILTER_ENGINE=opensearch on a real cluster. Its answers are those of PostgreSQL for every entity,
// while records are written and fed, and while the cluster is away. FILTER_ENGINE_SEED repeats a run that failed.
// FILTER_ENGINE_CASES=2500 makes 10,000 filters over the four entities while 100 records are written a second.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { canonicalKey } from '@tradewind/filters';
import { type Entity, indexedEntities } from '@tradewind/filter-engine';
import { type EmbeddedOpenSearch, freePort, installOpenSearch, startEmbeddedOpenSearch } from '@tradewind/testkit';
import fc from 'fast-check';
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { PageReader, type PageRequest } from '../src/connections/page-reader.port.js';
import { PostgresPageReader } from '../src/connections/page-reader.postgres.js';
import { FollowedChanges } from '../src/filter-engine/followed-changes.js';
import { SearchIndexFeeders } from '../src/search-index/search-index.feeders.js';
import { compareUnderWrites, drawnContacts, drawnFilter, requestFor, versionOf } from './support/drawn-pages.js';
import { startGateway, type TestGateway } from './support/gateway.js';

installOpenSearch();

const seed = Number(process.env['FILTER_ENGINE_SEED'] ?? Date.now() % 1_000_000_000);
/** Of each entity. */
const cases = Number(process.env['FILTER_ENGINE_CASES'] ?? 120);

describe(`a gateway on OpenSearch (FILTER_ENGINE_SEED=${seed})`, () => {
  let dataDir: string;
  let port: number;
  let node: EmbeddedOpenSearch;
  let gateway: TestGateway;
  const stop = new AbortController();
  let following: Promise<unknown>;

  const startNode = () => startEmbeddedOpenSearch({ dataDir, port });
  const read = (request: PageRequest) => gateway.replicas[0]!.app.get(PageReader).read(request);

  beforeAll(async () => {
    dataDir = mkdtempSync(join(tmpdir(), 'tradewind-opensearch-data-'));
    chmodSync(dataDir, 0o755);
    port = await freePort();
    node = await startNode();
    gateway = await startGateway({
      FILTER_ENGINE: 'opensearch',
      FILTER_ENGINE_REFRESH_MS: '50',
      OPENSEARCH_URL: node.url,
      OPENSEARCH_REPLICAS: '0',
      // Far more than a search takes on a busy machine.
      OPENSEARCH_TIMEOUT_MS: '10000',
      OPENSEARCH_POLL_TIMEOUT_MS: '10000',
    });
    const feeders = gateway.replicas[0]!.app.get(SearchIndexFeeders);
    following = Promise.all(
      indexedEntities.map(async (entity) => {
        // As the command does: every fault ends a feeder, and another one goes on.
        while (!stop.signal.aborted)
          await feeders.use(entity, (feeder) => feeder.follow(stop.signal, { intervalMs: 50 })).catch(() => delay(200));
      }),
    );
  }, 600_000);
  afterAll(async () => {
    stop.abort();
    await following;
    await gateway.close();
    await node.stop();
    rmSync(dataDir, { recursive: true, force: true });
  });

  async function metric(labels: string): Promise<number> {
    const text = await (await fetch(gateway.replicas[0]!.metricsUrl)).text();
    const line = text
      .split('\n')
      .find((each) => each.startsWith(`tradewind_graphql_gateway_page_read_total${labels} `));
    return line === undefined ? 0 : Number(line.split(' ').at(-1));
  }
  const answered = () => metric('{source="opensearch",reason="answered"}');

  async function until(isTrue: () => Promise<boolean> | boolean): Promise<void> {
    for (const endMs = performance.now() + 180_000; performance.now() < endMs;) {
      if (await isTrue()) return;
      await delay(50);
    }
    throw new Error(`waited in vain until ${String(isTrue)}`);
  }

  /** The engine answers for the entity, and the changes are followed to the current version. */
  const untilReady = (entity: Entity) =>
    until(async () => {
      const version = BigInt(await versionOf(gateway, entity));
      return gateway.replicas[0]!.app.get(FollowedChanges).current(entity)?.version === version;
    });

  it.each(indexedEntities)(
    'answers about every %s as PostgreSQL does, in every order, while 100 are written a second and fed',
    async (entity) => {
      const before = await answered();
      const { compared, matches } = await compareUnderWrites({
        ...{ gateway, entity, seed, filterCount: cases, rowCount: 600 },
        untilReady: () => untilReady(entity),
      });
      expect(compared).toBeGreaterThanOrEqual(cases);
      expect(matches).toBeGreaterThan(cases);
      expect((await answered()) - before).toBeGreaterThan(cases / 2);
    },
    3_600_000,
  );

  /** Contacts by an address, by their person, or by both. */
  const contactRequests = (count: number): PageRequest[] =>
    fc.sample(drawnContacts, { seed, numRuns: count }).map(({ filter, person, where }) =>
      requestFor(
        { ...filter, conditions: [] },
        {
          where,
          filter,
          countKey: `${canonicalKey(filter)} ${person ? canonicalKey(person) : ''}`,
          ...(person && { person: { filter: person, key: canonicalKey(person) }, alsoReads: ['person'] }),
        },
      ),
    );

  /** Whether both answered for the same version. @throws when they differ */
  async function isCompared(request: PageRequest): Promise<boolean> {
    const ours = await read(request);
    const theirs = await gateway.replicas[0]!.app.get(PostgresPageReader).read(request);
    if (ours.count!.version !== theirs.count!.version) return false;
    const rows = ours.rows.map((row) => row.slice(0, theirs.rows[0]?.length ?? 0));
    const { filter, person } = request;
    expect({ filter, person, count: ours.count, rows }).toEqual({
      filter,
      person,
      count: theirs.count,
      rows: theirs.rows,
    });
    return true;
  }

  it('answers about contacts by their addresses and persons while both are written and fed', async () => {
    await untilReady('contact');
    await untilReady('person');
    const before = await answered();
    let compared = 0;
    for (const [number, request] of contactRequests(cases).entries()) {
      if (number % 5 === 0)
        await gateway.sql.query(`update person set name = 'Ann Lee', skill_ids = '{}' where id % 97 = $1`, [
          number % 97,
        ]);
      if (number % 7 === 0)
        await gateway.sql.query(
          'update contact set person_id = (select min(id) from person) + id % 50 where id % 89 = $1',
          [number % 89],
        );
      if (await isCompared(request)) compared += 1;
    }
    expect(compared).toBeGreaterThan(cases / 2);
    expect((await answered()) - before).toBeGreaterThan(cases / 2);
  }, 1_800_000);

  describe('never gives a wrong answer, nor stops, when the cluster', () => {
    const settings = async (values: Record<string, unknown>) => {
      const answer = await fetch(`${node.url}/_cluster/settings`, {
        method: 'PUT',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ transient: values }),
      });
      expect(answer.status).toBe(200);
    };
    const disk = 'cluster.routing.allocation.disk';
    const watermarks = ['low', 'high', 'flood_stage'].map((name) => `${disk}.watermark.${name}`);
    const isBlocked = async () => {
      const body = await (await fetch(`${node.url}/tradewind-company/_settings`)).text();
      return body.includes('"read_only_allow_delete":"true"');
    };

    const faults: Record<string, { begin: () => Promise<void>; end?: () => Promise<void> }> = {
      'hangs, then goes on': {
        begin: async () => void process.kill(node.pid, 'SIGSTOP'),
        end: async () => void process.kill(node.pid, 'SIGCONT'),
      },
      'is killed, and starts empty': {
        begin: () => node.stop(),
        end: async () => {
          for (const name of readdirSync(dataDir)) rmSync(join(dataDir, name), { recursive: true });
          node = await startNode();
        },
      },
      'has a full disk, with the block of its flood stage': {
        begin: async () => {
          await settings({
            'cluster.info.update.interval': '10s',
            [`${disk}.threshold_enabled`]: true,
            ...Object.fromEntries(watermarks.map((name) => [name, '1000000gb'])),
          });
          await until(isBlocked);
        },
        end: async () => {
          await settings(Object.fromEntries(watermarks.map((name) => [name, '1b'])));
          await until(async () => !(await isBlocked()));
        },
      },
      'loses the marks of an index': {
        begin: async () => {
          const body = JSON.stringify({ query: { range: { id: { lt: 0 } } } });
          const found = await fetch(`${node.url}/tradewind-company/_search?stored_fields=_id`, {
            method: 'POST',
            headers: { 'content-type': 'application/json' },
            body,
          });
          const { hits } = (await found.json()) as { hits: { hits: { _id: string; _routing?: string }[] } };
          expect(hits.hits.length).toBeGreaterThan(1);
          for (const { _id } of hits.hits)
            await fetch(`${node.url}/tradewind-company/_doc/${_id}?refresh=true&routing=0`, { method: 'DELETE' });
        },
      },
    };

    it.each(Object.keys(faults))(
      '%s',
      async (name) => {
        const { begin, end } = faults[name]!;
        const requests = [
          ...fc.sample(drawnFilter('company'), { seed, numRuns: 40 }).map((filter) => requestFor(filter)),
          ...contactRequests(40),
        ];
        let [asked, compared] = [0, 0];
        const longestMs = { answer: 0 };
        const ask = async () => {
          if (asked % 8 === 0)
            await gateway.sql.query(`update company set number_of_employees = $1 where id % 101 = $2`, [
              asked,
              asked % 101,
            ]);
          const startMs = performance.now();
          if (await isCompared(requests[asked++ % requests.length]!)) compared += 1;
          longestMs.answer = Math.max(longestMs.answer, performance.now() - startMs);
        };
        await untilReady('company');
        await untilReady('contact');
        await begin();
        for (let count = 0; count < 40; count++) await ask();
        expect((await fetch(`${gateway.replicas[0]!.url}/ready`)).status).toBe(200);
        await end?.();
        const before = await answered();
        await until(async () => {
          await ask();
          return (await answered()) > before + 20;
        });
        await until(() =>
          indexedEntities.every((each) => gateway.replicas[0]!.app.get(FollowedChanges).lagSeconds(each) === 0),
        );
        expect(compared).toBeGreaterThan(asked / 2);
        // A search that gets no answer is given up after OPENSEARCH_TIMEOUT_MS, and then asked of PostgreSQL.
        expect(longestMs.answer).toBeLessThan(60_000);
      },
      600_000,
    );
  });

  it('leaves queries to PostgreSQL while the cluster is away, and asks it again when it is back', async () => {
    const everything = requestFor({ entity: 'company', today: '2026-11-24', conditions: [] });
    await untilReady('company');
    const { count } = await read(everything);
    await node.stop();
    expect((await read(everything)).count).toEqual(count);
    expect(await metric('{source="postgres",reason="away"}')).toBeGreaterThan(0);
    expect((await fetch(`${gateway.replicas[0]!.url}/ready`)).status).toBe(200);
    await gateway.sql.query(`insert into company (id, name) values (1000000, 'Company')`);
    await until(() => gateway.replicas[0]!.app.get(FollowedChanges).lagSeconds('company') > 1);
    expect((await read(everything)).count!.count).toBe(count!.count + 1);
    node = await startNode();
    const before = await answered();
    await until(async () => {
      expect((await read(everything)).count!.count).toBe(count!.count + 1);
      return (await answered()) > before;
    });
    await until(() => gateway.replicas[0]!.app.get(FollowedChanges).lagSeconds('company') === 0);
  }, 600_000);
});
