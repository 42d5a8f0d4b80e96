// FILTER_ENGINE: which engine answers filters. Null: PostgreSQL alone.
import type { BackgroundWork } from '@tradewind/service-kit';
import type { AppConfig } from '../app.config.js';
import type { AppEvents } from '../events.js';
import { EmbeddedMaintenance } from './engine-maintenance.embedded.js';
import { OpenSearchMaintenance } from './engine-maintenance.opensearch.js';
import type { EngineMaintenance } from './engine-maintenance.port.js';
import type { RecordChangesStore } from './record-changes.store.js';

export function chooseEngine(
  config: AppConfig,
  changes: RecordChangesStore,
  events: AppEvents,
  background: BackgroundWork,
): Promise<EngineMaintenance> | EngineMaintenance | null {
  switch (config.FILTER_ENGINE) {
    case 'postgres':
      return null;
    case 'embedded':
    case 'auto':
      return new EmbeddedMaintenance(config, changes, events, background);
    case 'opensearch':
      return OpenSearchMaintenance.connect(config, changes, events);
  }
}
