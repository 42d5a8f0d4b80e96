// The contract of engines on the two that need no cluster; engine-contract.opensearch-spec.ts has the third.
import { buildIndex, EmbeddedEngine } from '../src/index.js';
import { connected, describeEngine } from './engine-contract.js';
import { PostgresEngine } from './postgres-engine.js';

describeEngine('PostgreSQL', async (url) => {
  const client = await connected(url);
  const engine = new PostgresEngine(client);
  return { engine, joinsPersons: false, refresh: (entity) => engine.poll(entity), close: () => client.end() };
});

describeEngine('the engine in memory', (url) => {
  const engine = new EmbeddedEngine();
  return Promise.resolve({
    engine,
    joinsPersons: true,
    async refresh(entity) {
      const order = { connection: { connectionString: url }, entity, bytesMax: Number.MAX_SAFE_INTEGER };
      const result = await buildIndex(order, new AbortController().signal);
      if (result.outcome !== 'built') throw new Error(JSON.stringify(result));
      engine.use(result.built);
    },
    close: () => Promise.resolve(),
  });
});
