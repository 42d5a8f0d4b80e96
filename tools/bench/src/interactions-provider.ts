// A run platform that only serves one large dataset, as fast as it can: 100,000 items of the sizes and mix that the
// real actor has. Their texts are made once, so that what is measured is the reader.
import { createServer, type Server } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

/** Of twenty items one is a post, seven are comments, twelve are reactions. About 900 bytes each. */
export function datasetItem(n: number): Record<string, unknown> {
  const actor = {
    id: `ACoAAA${n}`,
    name: `Person ${n}`,
    linkedinUrl: `https://www.linkedin.com/in/person-${n}`,
    position: 'Head of growth, pipeline and partners at a company with a long name',
    pictureUrl: `https://media.licdn.example/${n}/avatar.jpg?e=1798761600&v=beta&t=${'x'.repeat(40)}`,
    picture: {
      url: `https://media.licdn.example/${n}/avatar.jpg`,
      width: 400,
      height: 400,
      expiresAt: 1_798_761_600_000,
    },
  };
  const query = { targetUrl: 'https://www.linkedin.com/in/bench/', postedLimit: 'any', maxPosts: 5_000 };
  const postId = String(7_000_000_000_000_000 + Math.floor(n / 20));
  const kind = n % 20;
  if (kind === 19) {
    return {
      type: 'post',
      id: postId,
      linkedinUrl: `https://www.linkedin.com/posts/bench_activity-${postId}`,
      content: 'What we learned this quarter about hiring and the market. '.repeat(10),
      author: { publicIdentifier: 'bench', type: 'profile', name: 'Bench', linkedinUrl: actor.linkedinUrl },
      postedAt: { timestamp: 1_790_000_000_000 + n, date: new Date(1_790_000_000_000 + n).toISOString() },
      postImages: [actor.picture],
      engagement: { likes: 12, comments: 7, shares: 1, reactions: [{ type: 'LIKE', count: 12 }] },
      reactions: [],
      comments: [],
      query,
    };
  }
  if (kind >= 12) {
    return {
      type: 'comment',
      id: `urn:li:fsd_comment:(${n},urn:li:ugcPost:${postId})`,
      linkedinUrl: `https://www.linkedin.com/feed/update/urn:li:ugcPost:${postId}?commentUrn=${n}`,
      commentary: 'Congratulations to the whole team, proud of these results. '.repeat(3),
      createdAt: new Date(1_790_000_000_000 + n).toISOString(),
      createdAtTimestamp: 1_790_000_000_000 + n,
      postId,
      numComments: 0,
      numShares: null,
      reactionTypeCounts: [{ type: 'LIKE', count: 3 }],
      actor: { ...actor, author: false },
      pinned: false,
      contributed: false,
      edited: false,
      query,
    };
  }
  return {
    type: 'reaction',
    id: `urn:li:fsd_reaction:(urn:li:fsd_profile:${actor.id},urn:li:ugcPost:${postId},0)`,
    reactionType: 'LIKE',
    postId,
    actor,
    query,
  };
}

export interface DatasetProvider {
  url: string;
  /** From now on the dataset of every run has so many items; at most as many as at the start. */
  serve(itemCount: number): void;
  close(): Promise<void>;
}

/** Starts at once every run that it is asked for; the run has succeeded when it is looked at. */
export async function startDatasetProvider(itemCountMax: number): Promise<DatasetProvider> {
  const items = Array.from({ length: itemCountMax }, (_, n) => JSON.stringify(datasetItem(n)));
  let itemCount = itemCountMax;
  const run = (id: string, status: string) => ({
    id,
    status,
    startedAt: new Date().toISOString(),
    finishedAt: status === 'SUCCEEDED' ? new Date().toISOString() : null,
    defaultDatasetId: `dataset-${id}`,
    defaultKeyValueStoreId: `store-${id}`,
  });
  let runs = 0;
  const server: Server = createServer((request, response) => {
    const url = new URL(request.url ?? '/', 'http://localhost');
    request.resume();
    request.on('end', () => {
      response.setHeader('content-type', 'application/json; charset=utf-8');
      const offset = Number(url.searchParams.get('offset') ?? 0);
      if (url.pathname.endsWith('/items')) {
        const limit = Number(url.searchParams.get('limit') ?? 1_000);
        const page = items.slice(offset, Math.min(itemCount, offset + limit));
        response.setHeader('x-apify-pagination-total', String(itemCount));
        response.setHeader('x-apify-pagination-offset', String(offset));
        response.setHeader('x-apify-pagination-count', String(page.length));
        response.setHeader('x-apify-pagination-limit', String(limit));
        return response.end(`[${page.join(',')}]`);
      }
      if (request.method === 'POST' && url.pathname.endsWith('/runs')) {
        runs += 1;
        response.statusCode = 201;
        return response.end(JSON.stringify({ data: run(`bench-run-${runs}-${process.pid}`, 'READY') }));
      }
      const id = /\/actor-runs\/([^/]+)/.exec(url.pathname)?.[1];
      return response.end(JSON.stringify({ data: run(id ?? 'none', 'SUCCEEDED') }));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    serve: (count) => (itemCount = count),
    async close() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
