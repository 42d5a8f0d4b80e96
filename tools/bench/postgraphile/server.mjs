// The peer of the data API: PostGraphile 5 with its filter plugin on the same tables. With TUNED=true it has custom
// plans, as its documentation advises for filters of varying selectivity. It then also has filters on every column,
// also on those without an index of their own.
import { createServer } from 'node:http';
import { grafserv } from 'postgraphile/grafserv/node';
import { postgraphile } from 'postgraphile';
import { makePgService } from 'postgraphile/adaptors/pg';
import { PostGraphileAmberPreset } from 'postgraphile/presets/amber';
import { PostGraphileConnectionFilterPreset } from 'postgraphile-plugin-connection-filter';
import pg from 'pg';

const isTuned = process.env['TUNED'] === 'true';
const pool = new pg.Pool({
  connectionString: process.env['DATABASE_URL'],
  options: `-c search_path=graphql_gateway${isTuned ? ' -c plan_cache_mode=force_custom_plan -c random_page_cost=1.1 -c jit=off' : ''} -c statement_timeout=${process.env.DATA_STATEMENT_TIMEOUT_MS ?? 0}`,
  max: 10,
});

const instance = postgraphile({
  extends: [PostGraphileAmberPreset, PostGraphileConnectionFilterPreset],
  ...(isTuned && { disablePlugins: ['PgIndexBehaviorsPlugin'] }),
  pgServices: [makePgService({ pool, schemas: ['graphql_gateway'] })],
  grafserv: { graphqlPath: '/graphql', graphiql: false, watch: false },
  gather: { pgStrictFunctions: false },
  grafast: { explain: false },
});
const handler = instance.createServ(grafserv);
const server = createServer((request, response) => {
  // The benchmark waits for this address.
  if (request.url === '/health')
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"status":"healthy"}');
  else server.emit('graphql', request, response);
});
const graphql = createServer();
await handler.addTo(graphql);
server.on('graphql', (request, response) => graphql.emit('request', request, response));
server.listen(Number(process.env['PORT']), '127.0.0.1');
