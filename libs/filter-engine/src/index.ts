export * from './changed-rows.js';
export * from './filter-engine.port.js';
export { connectOpenSearch } from './opensearch/connect-opensearch.js';
export { indexedEntities } from './opensearch/sorted-columns.js';
export type { BuildProgress, CheckOutcome, FeederOptions, FollowEvent, PassOutcome } from './opensearch/feeder.js';
export { Feeder, IndexMissing } from './opensearch/feeder.js';
export { OpenSearchEngine, type OpenSearchEngineOptions } from './opensearch/opensearch-engine.js';
export { RefusedWrite } from './opensearch/search-index-writer.js';
