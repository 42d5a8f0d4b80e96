export * from './create-providers.js';
export * from './profile-provider.http.js';
export * from './profile-provider.port.js';
export type { StartFailure } from './provider-failures.js';
export * from './provider-pause.js';
export * from './provider-settings.js';
export * from './run-provider.apify.js';
export * from './run-provider.port.js';
export * from './start-policy.js';
