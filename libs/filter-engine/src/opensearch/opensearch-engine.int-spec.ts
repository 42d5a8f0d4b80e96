// The engine against a pretend cluster: what one failed search means for other queries, and which answers are trusted.
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { Client } from '@opensearch-project/opensearch';
import { canonicalKey, type NormalisedFilter } from '@tradewind/filters';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { FilterQuery } from '../filter-engine.port.js';
import { connectOpenSearch } from './connect-opensearch.js';
import { OpenSearchEngine } from './opensearch-engine.js';
import { type Mark, markDocument } from './search-index.js';

const version = 7n;
const filter: NormalisedFilter = { entity: 'company', today: '2026-11-24', conditions: [] };
const query: FilterQuery = {
  filter,
  key: canonicalKey(filter),
  sort: [{ column: 'id', type: 'bigint', direction: 'asc', isNullable: false }],
  after: null,
  limit: 10,
  isCounted: true,
  since: version,
  upTo: version,
  except: [],
};

/** A response that saw all changes up to `from`, none after `to`, and record 5 of `records`. */
function found(from = version, to = version, records = 1) {
  const markOf = (kind: Mark['kind'], at: bigint) =>
    (JSON.parse(markDocument('company', { kind, source: 'company', routing: '0' }, at)) as { id: number }).id;
  const ids = [markOf('to', to), markOf('from', from), 5];
  return {
    timed_out: false,
    status: 200,
    _shards: { total: 1, successful: 1, failed: 0 },
    hits: { total: { value: records + 2 }, hits: ids.map((id) => ({ sort: [id] })) },
    aggregations: { last: { value_as_string: '165' } },
  };
}
const refused = (status: number, type: string) => ({ status, error: { type, reason: 'as the test wants it' } });

describe('the engine on OpenSearch', () => {
  let server: Server;
  let client: Client;
  let engine: OpenSearchEngine;
  /** What the cluster answers to a request of so many searches. */
  let answer: (response: ServerResponse, searches: number, body: string) => void;

  const isOne = ({ url }: IncomingMessage) => /\/_search\b/.test(url!);
  const send = (response: ServerResponse, searches: readonly { status: number }[]) => {
    response.setHeader('content-type', 'application/json');
    if (!isOne(response.req)) return response.end(JSON.stringify({ responses: searches }));
    return response.writeHead(searches[0]!.status).end(JSON.stringify(searches[0]));
  };
  const whole = (response: ServerResponse, searches: number) =>
    send(
      response,
      Array.from({ length: searches }, () => found()),
    );

  beforeEach(async () => {
    answer = whole;
    server = createServer((request, response) => {
      let body = '';
      request.on('data', (chunk: Buffer) => (body += chunk.toString()));
      request.on('end', () => answer(response, isOne(request) ? 1 : body.trim().split('\n').length / 2, body));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    client = await connectOpenSearch({ url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` });
    const [timeoutMs, pollTimeoutMs] = [1_000, 500];
    engine = new OpenSearchEngine({ client, prefix: 'x', timeoutMs, pollTimeoutMs, sortsTextsByBytes: () => true });
    await engine.poll('company');
  });
  afterEach(async () => {
    await client.close();
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  const answered = { ids: [5n], count: 1, version };
  const otherQueriesAreAnswered = async () => {
    answer = whole;
    expect(await engine.search(query)).toEqual(answered);
  };

  it('leaves other queries alone when one takes too long', async () => {
    answer = () => undefined;
    expect(await engine.search(query)).toBe('too_costly');
    await otherQueriesAreAnswered();
  });

  /** Behind a cursor, page and count are two searches. */
  const behindCursor = { ...query, after: ['1'] };

  const faults: [string, { status: number; timed_out?: boolean }][] = [
    ['too_costly', { ...found(), timed_out: true }],
    ['busy', refused(429, 'circuit_breaking_exception')],
    ['away', refused(503, 'search_phase_execution_exception')],
  ];
  it.each(faults)('leaves other queries alone when one search of a request is %s', async (reason, fault) => {
    answer = (response) => send(response, [found(), fault]);
    expect(await engine.search(behindCursor)).toBe(reason);
    await otherQueriesAreAnswered();
  });

  it.each(faults)('leaves other queries alone when a search without others is %s', async (reason, fault) => {
    answer = (response) => send(response, [fault]);
    expect(await engine.search(query)).toBe(reason);
    await otherQueriesAreAnswered();
  });

  it('has nothing to answer from without an index, until a poll finds one', async () => {
    answer = (response) => send(response, [refused(404, 'index_not_found_exception')]);
    expect(await engine.search(query)).toBe('not_ready');
    await engine.poll('company');
    expect(engine.version('company')).toBeUndefined();
    answer = whole;
    expect(await engine.search(query)).toBe('not_ready');
    await engine.poll('company');
    await otherQueriesAreAnswered();
  });

  it('leaves other queries alone when the cluster does not understand one', async () => {
    answer = (response) => send(response, [found(), refused(400, 'too_many_clauses')]);
    await expect(engine.search(behindCursor)).rejects.toThrow('too_many_clauses');
    answer = (response) => send(response, [refused(400, 'too_many_clauses')]);
    await expect(engine.search(query)).rejects.toThrow('too_many_clauses');
    answer = (response) => response.writeHead(413).end('{}');
    await expect(engine.search(query)).rejects.toThrow();
    await otherQueriesAreAnswered();
  });

  it('is away for every query after a lost connection, until a poll is answered', async () => {
    answer = (response) => response.destroy();
    expect(await engine.search(query)).toBe('away');
    answer = whole;
    expect(await engine.search(query)).toBe('away');
    await engine.poll('company');
    await otherQueriesAreAnswered();
  });

  it('is away for every query when a poll is not answered', async () => {
    answer = () => undefined;
    await expect(engine.poll('company')).rejects.toThrow();
    answer = whole;
    expect(await engine.search(query)).toBe('away');
  });

  const isPoll = (body: string) => body.includes('"aggs"');

  it('gives up the searches under way when a poll is not answered', async () => {
    answer = () => undefined;
    const waiting = engine.search(query);
    await expect(engine.poll('company')).rejects.toThrow();
    // It would be too costly if it had waited for its own limit.
    expect(await waiting).toBe('away');
    answer = whole;
    await engine.poll('company');
    await otherQueriesAreAnswered();
  });

  it('is not away when a poll takes too long but searches are answered', async () => {
    answer = (response, searches, body) => (isPoll(body) ? undefined : whole(response, searches));
    const polled = engine.poll('company');
    expect(await engine.search(query)).toEqual(answered);
    await polled;
    expect(engine.isReady('company')).toBe(true);
    await otherQueriesAreAnswered();
  });

  it('bounds the searches under way', async () => {
    const held: (() => void)[] = [];
    answer = (response, searches) => held.push(() => whole(response, searches));
    const searches = Array.from({ length: 65 }, () => engine.search(query));
    expect(await searches.at(-1)).toBe('busy');
    while (held.length < 64) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const answerNow of held) answerNow();
    expect(await Promise.all(searches.slice(0, 64))).toEqual(Array.from({ length: 64 }, () => answered));
    await otherQueriesAreAnswered();
  });

  it('gives no answer that may hold changes after the version that the caller knows', async () => {
    answer = (response, searches) => send(response, Array(searches).fill(found(version, version + 1n)));
    expect(await engine.search(query)).toBe('behind');
    expect(await engine.search({ ...query, upTo: version + 1n })).toEqual(answered);
  });

  /** What the requests of a query ask for, line by line. */
  async function askedBy(asked: FilterQuery, totals: readonly number[]) {
    const requests: string[][] = [];
    answer = (response, searches, body) => {
      requests.push(body.trim().split('\n'));
      send(
        response,
        Array.from({ length: searches }, (_, place) => found(version, version, totals[place])),
      );
    };
    return { answer: await engine.search(asked), requests };
  }

  it('looks for the last ids among the last sixteenth, and among all where these are too few', async () => {
    const lastFirst: FilterQuery = { ...query, sort: [{ ...query.sort[0]!, direction: 'desc' }] };
    const enough = await askedBy(lastFirst, [1, 1]);
    expect(enough.answer).toEqual(answered);
    expect(enough.requests).toHaveLength(1);
    expect(enough.requests[0]![1]).toContain('"range":{"id":{"gte":"155"}}');
    const tooFew = await askedBy(lastFirst, [1, 2]);
    expect(tooFew.answer).toEqual({ ...answered, count: 2 });
    expect(tooFew.requests).toHaveLength(2);
    expect(tooFew.requests[1]!.join()).not.toContain('range');
    const behind = await askedBy({ ...lastFirst, after: ['100'], isCounted: false }, [1]);
    expect(behind.requests[0]!.join()).toContain('"range":{"id":{"gte":"90"}}');
  });

  it('counts what is not left out by what is', async () => {
    const conditions: NormalisedFilter['conditions'] = [
      { field: '', op: 'in', column: 'country_id', type: 'bigint', values: [1], isNegated: true },
    ];
    const { answer: found, requests } = await askedBy({ ...query, filter: { ...filter, conditions } }, [1, 9, 3]);
    expect(found).toEqual({ ...answered, count: 6 });
    const bodies = requests[0]!.filter((_, line) => line % 2 === 1);
    expect(bodies).toHaveLength(3);
    expect(bodies[1]).toContain('"query":{"match_all":{}}');
    expect(bodies[2]).not.toContain('must_not');
  });
});
