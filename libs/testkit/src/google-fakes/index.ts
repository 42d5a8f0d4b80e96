export * from './bigquery.js';
export * from './bigquery-storage-write.js';
export * from './cloud-storage.js';
export * from './fault-plan.js';
export * from './google-keys.js';
export * from './pubsub.js';
