export * from './data-api-error.js';
export * from './data-client.js';
export * from './sign-in.js';
export type * from './schema.generated.js';
