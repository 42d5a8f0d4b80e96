// A run platform that only serves one large dataset, as fast as it can. It has 100,000 items of the sizes and mix that
// the real actor has. Their texts are made once, so that what is measured is the reader.
import fastify from 'fastify';

const image = (n: number) => ({ url: `https://media.licdn.example/${n}/avatar.jpg`, width: 400, height: 400 });

/** Of twenty items one is a post, seven are comments, twelve are reactions. About 900 bytes each. */
function datasetItem(n: number): Record<string, unknown> {
  const actor = {
    id: `ACoAAA${n}`,
    name: `Person ${n}`,
    linkedinUrl: `https://www.linkedin.com/in/person-${n}`,
    position: 'Head of growth, pipeline and partners at a company with a long name',
    pictureUrl: `https://media.licdn.example/${n}/avatar.jpg?e=1798761600&v=beta&t=${'x'.repeat(40)}`,
    picture: image(n),
  };
  const query = { targetUrl: 'https://www.linkedin.com/in/bench/', postedLimit: 'any', maxPosts: 5_000 };
  const postId = String(7_000_000_000_000_000 + Math.floor(n / 20));
  const timestamp = 1_790_000_000_000 + n;
  const date = new Date(timestamp).toISOString();
  const kind = n % 20;
  if (kind === 19) {
    return {
      type: 'post',
      id: postId,
      linkedinUrl: `https://www.linkedin.com/posts/bench_activity-${postId}`,
      content: 'What we learned this quarter about hiring and the market. '.repeat(10),
      author: { publicIdentifier: 'bench', type: 'profile', name: 'Bench', linkedinUrl: actor.linkedinUrl },
      postedAt: { timestamp, date },
      postImages: [image(n)],
      engagement: { likes: 12, comments: 7, shares: 1, reactions: [{ type: 'LIKE', count: 12 }] },
      query,
    };
  }
  if (kind >= 12) {
    return {
      type: 'comment',
      id: `urn:li:fsd_comment:(${n},urn:li:ugcPost:${postId})`,
      linkedinUrl: `https://www.linkedin.com/feed/update/urn:li:ugcPost:${postId}?commentUrn=${n}`,
      commentary: 'Congratulations to the whole team, proud of these results. '.repeat(3),
      createdAt: date,
      createdAtTimestamp: timestamp,
      postId,
      numComments: 0,
      reactionTypeCounts: [{ type: 'LIKE', count: 3 }],
      actor: { ...actor, author: false },
      edited: false,
      query,
    };
  }
  const id = `urn:li:fsd_reaction:(urn:li:fsd_profile:${actor.id},urn:li:ugcPost:${postId},0)`;
  return { type: 'reaction', id, reactionType: 'LIKE', postId, actor, query };
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
  let runs = 0;
  const run = (id: string, status: string) => {
    const now = new Date().toISOString();
    const stores = { defaultDatasetId: `dataset-${id}`, defaultKeyValueStoreId: `store-${id}` };
    return { data: { id, status, startedAt: now, finishedAt: status === 'SUCCEEDED' ? now : null, ...stores } };
  };
  const app = fastify({ forceCloseConnections: true });
  app.post('/v2/actors/:id/runs', (_request, reply) =>
    reply.code(201).send(run(`bench-run-${(runs += 1)}-${process.pid}`, 'READY')),
  );
  app.get<{ Params: { id: string } }>('/v2/actor-runs/:id', (request) => run(request.params.id, 'SUCCEEDED'));
  app.get<{ Querystring: { offset?: string; limit?: string } }>('/v2/datasets/:id/items', (request, reply) => {
    const offset = Number(request.query.offset ?? 0);
    const limit = Number(request.query.limit ?? 1_000);
    const page = items.slice(offset, Math.min(itemCount, offset + limit));
    for (const [name, value] of Object.entries({ total: itemCount, offset, count: page.length, limit })) {
      void reply.header(`x-apify-pagination-${name}`, String(value));
    }
    return reply.type('application/json; charset=utf-8').send(`[${page.join(',')}]`);
  });
  const url = await app.listen({ port: 0, host: '127.0.0.1' });
  return { url, serve: (count) => (itemCount = count), close: () => app.close() };
}
