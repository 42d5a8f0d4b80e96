// Feeders of the index in OpenSearch, each with a connection of its own to the data tables. They read the server that
// the pages are read from, because an index must not know versions that pages do not have yet.
import { Injectable } from '@nestjs/common';
import { BuildRun, connectOpenSearch, type Entity, Feeder } from '@tradewind/filter-engine';
import { connectionOptions, WatchedClient } from '@tradewind/service-kit';
import { AppConfig } from '../app.config.js';
import { openSearchAddress } from './search-index.address.js';

// The feeder holds locks while it has its connection. A process that vanished or hangs must not hold them for long.
const lockOptions = [
  '-c tcp_keepalives_idle=20 -c tcp_keepalives_interval=10 -c tcp_keepalives_count=3',
  // Between two statements there are at most a few writes of 30 s.
  '-c idle_session_timeout=300s',
].join(' ');
/** Five thousand documents take a second. */
const statementTimeoutMs = 120_000;

@Injectable()
export class SearchIndexFeeders {
  constructor(private readonly config: AppConfig) {}

  /** @throws when PostgreSQL or OpenSearch is away; OperatorError without OPENSEARCH_URL */
  async use<T>(entity: Entity, work: (feeder: Feeder) => Promise<T>): Promise<T> {
    const { config } = this;
    const address = openSearchAddress(config);
    const connection = connectionOptions(
      {
        DATABASE_URL: config.DATA_DATABASE_URL ?? config.DATABASE_URL,
        DATABASE_SCHEMA: config.DATABASE_SCHEMA,
        DATABASE_POOL_SIZE: 1,
        DATABASE_CONNECTION_TIMEOUT_MS: config.DATABASE_CONNECTION_TIMEOUT_MS,
        DATABASE_STATEMENT_TIMEOUT_MS: statementTimeoutMs,
      },
      'graphql_gateway search index',
    );
    const db = new WatchedClient({ ...connection, options: `${connection.options} ${lockOptions}` });
    const client = await connectOpenSearch(address);
    try {
      await db.connect();
      return await work(
        new Feeder({
          db,
          client,
          prefix: config.OPENSEARCH_PREFIX,
          entity,
          shards: config.OPENSEARCH_SHARDS,
          replicas: config.OPENSEARCH_REPLICAS,
        }),
      );
    } finally {
      await Promise.allSettled([db.end(), client.close()]);
    }
  }

  /**
   * A build of all entities, which goes on where it was stopped.
   * @throws when OpenSearch is away; OperatorError without OPENSEARCH_URL
   */
  async useRun<T>(work: (run: BuildRun) => Promise<T>): Promise<T> {
    const client = await connectOpenSearch(openSearchAddress(this.config));
    try {
      return await work(await BuildRun.open(client, this.config.OPENSEARCH_PREFIX));
    } finally {
      await client.close();
    }
  }
}
