export * from './object-store.port.js';
export * from './push-authenticator.port.js';
export * from './queue.port.js';
export * from './warehouse.port.js';
export * from './warehouse-tables.js';
export * from './factories.js';
export {
  EmbeddedPushDispatcher,
  type EmbeddedPushDispatcherOptions,
  type PushDispatchEvent,
} from './push-dispatcher.embedded.js';
export * from './settings.js';
export * from './topology.js';
