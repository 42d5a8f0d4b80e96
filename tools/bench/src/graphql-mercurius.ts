// A peer of the data API: Mercurius with graphql-jit, the schema, API keys, limits and audit log of the data API, and
// hand-written SQL. The parameters of the SQL come with the request, in its `extensions`.
import { readFileSync } from 'node:fs';
import fastify from 'fastify';
import { buildSchema } from 'graphql';
import mercurius from 'mercurius';
import { addDuties } from './graphql-mercurius-duties.js';
import { type FilteredPage, readFiltered, readPage } from './graphql-hand-written-pages.js';
import { measuredQueries } from './graphql-queries.js';

/** What the request brings for the hand-written SQL. */
interface Measured {
  index: number;
  parameters: unknown[];
}

const schema = buildSchema(
  readFileSync(new URL('../../../apps/graphql-gateway/schema.graphql', import.meta.url), 'utf8'),
);
const readMeasured = async (_root: unknown, _args: unknown, asked: Measured | FilteredPage) =>
  'where' in asked ? readFiltered(asked) : readPage(asked.index, asked.parameters);

const server = fastify();
server.get('/health', async () => ({ status: 'healthy' }));
await addDuties(server);
await server.register(mercurius, {
  schema,
  resolvers: { Query: Object.fromEntries(measuredQueries.map(({ field }) => [field, readMeasured])) },
  context: (request) => (request.body as { extensions: Measured | FilteredPage }).extensions,
  jit: 1,
});
await server.listen({ host: '127.0.0.1', port: Number(process.env['PORT']) });
