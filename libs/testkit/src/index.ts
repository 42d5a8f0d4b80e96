export * from './embedded-postgres.js';
export * from './google-fakes/index.js';
export * from './pretend-issuer.js';
export * from './relay.js';
export * from './test-database.js';
export * from './test-pool.js';
export * from './browser.js';
export * from './sign-in-pages.js';
