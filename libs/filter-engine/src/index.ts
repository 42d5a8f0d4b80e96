export * from './changed-rows.js';
export * from './filter-engine.port.js';
export type { BuildProgress, FeederOptions, PassOutcome } from './opensearch/feeder.js';
export { Feeder } from './opensearch/feeder.js';
export { OpenSearchEngine, type OpenSearchEngineOptions } from './opensearch/opensearch-engine.js';
export { RefusedWrite } from './opensearch/search-index-writer.js';
