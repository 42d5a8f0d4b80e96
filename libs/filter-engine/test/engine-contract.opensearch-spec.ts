// The contract of engines on a real OpenSearch; engine-contract.int-spec.ts has the other engines.
import { Client } from '@opensearch-project/opensearch';
import { installOpenSearch, startEmbeddedOpenSearch } from '@tradewind/testkit';
import { setTimeout as delay } from 'node:timers/promises';
import { Feeder } from '../src/opensearch/feeder.js';
import { OpenSearchEngine } from '../src/opensearch/opensearch-engine.js';
import { connected, describeEngine } from './engine-contract.js';

installOpenSearch();

describeEngine('OpenSearch', async (url) => {
  const [node, db] = await Promise.all([startEmbeddedOpenSearch(), connected(url)]);
  const client = new Client({ node: node.url, maxRetries: 0, enableLongNumeralSupport: true });
  const engine = new OpenSearchEngine({
    client,
    prefix: 'test',
    timeoutMs: 60_000,
    pollTimeoutMs: 60_000,
    sortsTextsByBytes: () => true,
  });
  const { signal } = new AbortController();
  return {
    engine,
    joinsPersons: true,
    async refresh(entity, version) {
      // As `index follow` does: contacts have the changes of their persons about as soon as the index of persons.
      for (const each of entity === 'person' ? (['contact', 'person'] as const) : [entity]) {
        const feeder = new Feeder({ db, client, prefix: 'test', entity: each, shards: 2, replicas: 0 });
        if ((await feeder.pass()).outcome === 'build_needed') await feeder.build(signal);
        await client.indices.refresh({ index: `test-${each}` });
        await engine.poll(each);
      }
      // A version counts when every copy of a shard has had the time to show it.
      while (engine.version(entity) !== version) {
        await engine.poll(entity);
        await delay(200);
      }
    },
    async close() {
      await Promise.all([client.close(), db.end()]);
      await node.stop();
    },
  };
});
