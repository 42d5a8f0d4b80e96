// The limit that the data API is measured against: Fastify and pg with hand-written SQL and the same answer. It has no
// GraphQL, no authentication and no limits. `POST /<index of the query>` with its parameters.
import fastify from 'fastify';
import { readPage } from './graphql-hand-written-pages.js';
import { measuredQueries } from './graphql-queries.js';

const server = fastify();
server.get('/health', async () => ({ status: 'healthy' }));
for (const [index, query] of measuredQueries.entries()) {
  server.post<{ Body: unknown[] }>(`/${index}`, async (request, reply) => {
    void reply.type('application/json; charset=utf-8');
    return JSON.stringify({ data: { [query.field]: await readPage(index, request.body) } });
  });
}
await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
