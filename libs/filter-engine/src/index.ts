export * from './changed-rows.js';
export * from './filter-engine.port.js';
