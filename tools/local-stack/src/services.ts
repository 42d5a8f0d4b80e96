// The settings of each process of the local platform. A setting that is not named here has the app's own default.
import { join } from 'node:path';
import { consoleClient } from './demo-accounts.js';
import type { LocalSecrets } from './local-secrets.js';
import { type LocalProcessName, metricsOffset, portOf, type ServiceName } from './ports.js';
import type { LocalSettings } from './settings.js';

export interface EnvironmentContext {
  settings: LocalSettings;
  databaseUrl: string;
  secrets: LocalSecrets;
}

/** Settings that a person may give to `npm start`; they replace ours. */
const passedThrough = ['LOG_LEVEL', 'OTEL_EXPORTER_OTLP_ENDPOINT'];

/** The whole environment of a process. Of the caller's it has only PATH, HOME and the settings passed through. */
export function serviceEnvironment(
  name: ServiceName | 'provider-simulator' | 'console',
  context: EnvironmentContext,
): Record<string, string> {
  const { settings, databaseUrl, secrets } = context;
  const given = Object.fromEntries(passedThrough.flatMap((key) => (process.env[key] ? [[key, process.env[key]]] : [])));
  const port = portOf(settings.portBase, name);
  const base = {
    PATH: process.env['PATH'] ?? '',
    HOME: process.env['HOME'] ?? '',
    NODE_ENV: 'production',
    PORT: String(port),
  };
  if (name === 'provider-simulator') {
    return { ...base, SEED: '1', STATE_FILE: join(settings.dataDir, 'provider-simulator.jsonl') };
  }
  if (name === 'console') {
    const url = (service: ServiceName) => `http://localhost:${portOf(settings.portBase, service)}`;
    return {
      ...base,
      ENVIRONMENT: 'dev',
      CLIENT_ID: consoleClient(settings.portBase).id,
      IDENTITY_URL: url('identity'),
      GATEWAY_URL: url('graphql-gateway'),
      INTERACTIONS_URL: url('interactions'),
      PRIORITY_API_URL: url('priority-api'),
      PRIORITY_WEBHOOK_URL: url('priority-webhook'),
      COORDINATOR_URL: url('coordinator'),
    };
  }
  return {
    ...base,
    ENVIRONMENT: 'dev',
    HOST: '127.0.0.1',
    METRICS_PORT: String(port + metricsOffset),
    LOG_LEVEL: 'info',
    DATABASE_URL: databaseUrl,
    OAUTH_ISSUER: `http://localhost:${portOf(settings.portBase, 'identity')}`,
    CORS_ORIGINS: `http://localhost:${portOf(settings.portBase, 'console')}`,
    ...own(name, { settings, databaseUrl, secrets }),
    ...given,
  };
}

function own(name: ServiceName, { settings, databaseUrl, secrets }: EnvironmentContext): Record<string, string> {
  const address = (process: LocalProcessName) => `http://127.0.0.1:${portOf(settings.portBase, process)}`;
  const warehouse = { WAREHOUSE_DATABASE_URL: databaseUrl, WAREHOUSE_POOL_SIZE: '5' };
  const provider = { PROVIDER_BASE_URL: address('provider-simulator'), PROVIDER_TOKEN: 'local-provider-token' };
  const callsIdentity = { IDENTITY_URL: address('identity'), SERVICE_TOKEN: secrets.serviceToken };
  const callers = { CALLER_AUTH: 'none', SERVICE_TOKENS: secrets.serviceTokenEntry, ...callsIdentity };
  switch (name) {
    case 'identity':
      return {
        OAUTH_DYNAMIC_REGISTRATION: 'true',
        DPOP: 'true',
        COOKIE_KEYS: secrets.identityCookieKey,
        STORAGE_KEYS: secrets.identityEncryptionKey,
        SERVICE_TOKENS: secrets.serviceTokenEntry,
        SMTP_URL: `smtp://127.0.0.1:${portOf(settings.portBase, 'mail server')}`,
      };
    case 'graphql-gateway':
      return { ...callsIdentity, ...settings.dataLimits };
    case 'interactions':
      return {
        ...warehouse,
        ...provider,
        ...callers,
        WEBHOOK_BASE_URL: address('interactions'),
        WEBHOOK_SECRETS: secrets.interactionsWebhookSecret,
      };
    case 'priority-api':
      return {
        ...provider,
        ...callers,
        QUEUE_PUSH_TOKEN: secrets.queuePushToken,
        PUSH_AUTH: 'none',
        PROFILE_WEBHOOK_URL: `${address('priority-webhook')}/webhook/network`,
        PROFILE_WEBHOOK_SECRETS: secrets.profileWebhookSecret,
        PRIORITY_WEBHOOK_URL: address('priority-webhook'),
      };
    case 'priority-webhook':
      return {
        ...warehouse,
        ...callers,
        PROFILE_WEBHOOK_SECRETS: secrets.profileWebhookSecret,
        WEBHOOK_AUTH: 'none',
        OBJECT_STORE_DIR: join(settings.dataDir, 'objects'),
      };
    case 'coordinator':
      return {
        ...warehouse,
        ...callers,
        QUEUE_DATABASE_URL: databaseUrl,
        QUEUE_PUSH_TOKEN: secrets.queuePushToken,
        PUSH_ENDPOINT: `${address('priority-api')}/batch-trigger/`,
        PRIORITY_API_URL: address('priority-api'),
        PRIORITY_WEBHOOK_URL: address('priority-webhook'),
      };
  }
}
