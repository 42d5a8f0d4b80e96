/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access --
   answers are JSON of any shape, and the assertions judge them */
// The whole gateway over the wire, on a database of its own, with a stand-in for the identity service.
import { migrateDatabase, startService, type RunningService } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase, testPool } from '@tradewind/testkit';
import type pg from 'pg';
import { migrations } from '../../src/migrations.js';
import { service } from '../../src/service.js';
import type { AppConfig } from '../../src/app.config.js';
import { IdentityServer, serviceToken, type TestUser } from './identity-server.js';
import { loadReferenceData } from './reference-data.js';

export interface Answer {
  status: number;
  headers: Headers;
  /** Parsed body, JSON of unknown shape. */
  body: any; // eslint-disable-line @typescript-eslint/no-explicit-any
}

export interface TestGateway {
  identity: IdentityServer;
  database: TestDatabase;
  /** Runs a statement on the tables. */
  sql: pg.Pool;
  replicas: RunningService<AppConfig>[];
  /** Logs a new user in and makes a key. */
  newKey(options?: { user?: TestUser; expiresInDays?: number }): Promise<{ key: string; user: TestUser }>;
  /** POST to /graphql of the first replica, or of the one named. */
  data(
    key: string | null,
    query: string,
    variables?: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<Answer>;
  auth(
    token: string | null,
    query: string,
    variables?: Record<string, unknown>,
    options?: RequestOptions,
  ): Promise<Answer>;
  close(): Promise<void>;
}

export interface RequestOptions {
  replica?: number;
  operationName?: string;
  headers?: Record<string, string>;
}

/** Limits are very high unless `env` sets them. */
export async function startGateway(env: Record<string, string> = {}, replicaCount = 1): Promise<TestGateway> {
  const identity = await new IdentityServer().start();
  const database = await createTestDatabase({
    name: 'gateway',
    migrate: async (url) => {
      await migrateDatabase({ DATABASE_URL: url, DATABASE_SCHEMA: 'graphql_gateway' }, migrations);
      await loadReferenceData(url);
    },
  });
  const settings = {
    ENVIRONMENT: 'dev',
    PORT: '0',
    METRICS_PORT: '0',
    LOG_LEVEL: 'fatal',
    DATABASE_URL: database.url,
    OAUTH_ISSUER: identity.url,
    SERVICE_TOKEN: serviceToken,
    CREDENTIAL_CHANGES_INTERVAL_MS: '100',
    DATA_CALLS_PER_DAY: '100000',
    REQUESTS_PER_MINUTE: '100000',
    // Hundreds of requests at once share few connections, and the machine may be busy with other things.
    DATABASE_CONNECTION_TIMEOUT_MS: '60000',
    ...env,
  };
  const replicas: RunningService<AppConfig>[] = [];
  for (let i = 0; i < replicaCount; i++) replicas.push(await startService(service, { env: settings }));
  const sql = testPool({ connectionString: database.url, options: '-c search_path=graphql_gateway', max: 4 });

  const post = async (
    path: string,
    credential: string | null,
    query: string,
    variables: unknown,
    options: RequestOptions = {},
  ) => {
    const response = await fetch(`${replicas[options.replica ?? 0]!.url}${path}`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(credential === null ? {} : { authorization: `Bearer ${credential}` }),
        ...options.headers,
      },
      body: JSON.stringify({ query, variables, operationName: options.operationName }),
    });
    return answerOf(response);
  };
  const auth: TestGateway['auth'] = (token, query, variables, options) =>
    post('/auth/graphql', token, query, variables, options);

  return {
    identity,
    database,
    sql,
    replicas,
    auth,
    data: (key, query, variables, options) => post('/graphql', key, query, variables, options),
    async newKey({ user = identity.addUser(), expiresInDays } = {}) {
      const { body } = await auth(
        identity.token(user),
        'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) }',
        {
          input: { name: 'test', ...(expiresInDays === undefined ? {} : { expiresInDays }) },
        },
      );
      return { key: body.data.createApiKey as string, user };
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()));
      await Promise.all([sql.end(), identity.stop()]);
      await database.drop();
    },
  };
}

export async function answerOf(response: Response): Promise<Answer> {
  const text = await response.text();
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch {
    body = text;
  }
  return { status: response.status, headers: response.headers, body };
}
