// The engine on a cluster of OpenSearch. `index follow` feeds the cluster; here it is only asked what it holds.
import { connectOpenSearch, type Entity, indexedEntities, OpenSearchEngine } from '@tradewind/filter-engine';
import type { OnApplicationShutdown } from '@nestjs/common';
import type { AppConfig } from '../app.config.js';
import type { AppEvents } from '../events.js';
import { openSearchAddress } from '../search-index/search-index.address.js';
import { EngineMaintenance } from './engine-maintenance.port.js';
import type { RecordChangesStore } from './record-changes.store.js';

type Client = Awaited<ReturnType<typeof connectOpenSearch>>;

export class OpenSearchMaintenance extends EngineMaintenance implements OnApplicationShutdown {
  readonly engine: OpenSearchEngine;
  /** Entities whose index did not answer the last time; all until they did. */
  private readonly away = new Set<Entity>(indexedEntities);
  private readonly reported = new Set<Entity>();
  private sortsTextsByBytes: boolean | undefined;

  constructor(
    config: AppConfig,
    private readonly client: Client,
    private readonly changes: RecordChangesStore,
    private readonly events: AppEvents,
  ) {
    super();
    this.engine = new OpenSearchEngine({
      client,
      prefix: config.OPENSEARCH_PREFIX,
      timeoutMs: config.OPENSEARCH_TIMEOUT_MS,
      pollTimeoutMs: config.OPENSEARCH_POLL_TIMEOUT_MS,
      sortsTextsByBytes: () => this.sortsTextsByBytes === true,
    });
    events.gauge(
      'search_index_away',
      'Entities, of four, whose index in OpenSearch did not answer when it was last asked; PostgreSQL answers for them',
      () => this.away.size,
    );
  }

  /** @throws when the certificate of OPENSEARCH_CA_FILE cannot be read */
  static async connect(
    config: AppConfig,
    changes: RecordChangesStore,
    events: AppEvents,
  ): Promise<OpenSearchMaintenance> {
    return new OpenSearchMaintenance(config, await connectOpenSearch(openSearchAddress(config)), changes, events);
  }

  override async maintain(entity: Entity): Promise<void> {
    this.sortsTextsByBytes ??= await this.changes.sortsTextsByBytes();
    try {
      await this.engine.poll(entity);
    } catch (error) {
      this.away.add(entity);
      if (!this.reported.has(entity)) this.events.emit('search_index_unreachable', { entity, err: error });
      this.reported.add(entity);
      return;
    }
    this.reported.delete(entity);
    this.away.delete(entity);
  }

  /** The next build of the feeder makes it right; until then every answer is compared with the rows again. */
  override discard(): void {}

  async onApplicationShutdown(): Promise<void> {
    await this.client.close();
  }
}
