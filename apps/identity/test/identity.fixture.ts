// The whole service on a database of its own, as main.ts starts it.
import { startService, type RunningService } from '@tradewind/service-kit';
import { freePort } from '@tradewind/testkit';
import { AppConfig } from '../src/app.config.js';
import { Clients, type CreateClient } from '../src/operators/clients.service.js';
import { createIdentityDatabase } from './identity-database.js';
import { service } from '../src/service.js';
import { Users, type CreateUser } from '../src/operators/users.service.js';
import type { User } from '../src/users/users.types.js';

export const password = 'correct horse battery';

export interface Identity {
  /** The issuer, which is also where it listens. */
  issuer: string;
  databaseUrl: string;
  running: RunningService<AppConfig>;
  /** Another replica on the same database, with an address of its own and the same issuer. */
  startReplica(env?: Record<string, string>): Promise<RunningService<AppConfig>>;
  createUser(given?: Partial<CreateUser>): Promise<User>;
  createClient(given?: Partial<CreateClient>): Promise<{ clientId: string; clientSecret: string }>;
  close(): Promise<void>;
}

let made = 0;

/** @param host of the issuer; browsers make passkeys for names alone */
export async function startIdentity(env: Record<string, string> = {}, host = '127.0.0.1'): Promise<Identity> {
  const database = await createIdentityDatabase();
  const port = await freePort();
  const issuer = `http://${host}:${port}`;
  const settings = {
    ENVIRONMENT: 'dev',
    // TEST_LOG_LEVEL=error shows the reason of a 500.
    LOG_LEVEL: process.env['TEST_LOG_LEVEL'] ?? 'fatal',
    DATABASE_URL: database.url,
    OAUTH_ISSUER: issuer,
    OAUTH_DYNAMIC_REGISTRATION: 'true',
    METRICS_PORT: '0',
    ...env,
  };
  const running = await startService(service, { env: { PORT: String(port), ...settings } });
  const replicas: RunningService<AppConfig>[] = [];
  return {
    issuer,
    databaseUrl: database.url,
    running,
    async startReplica(more = {}) {
      const replica = await startService(service, { env: { ...settings, PORT: '0', ...more } });
      replicas.push(replica);
      return replica;
    },
    async createUser(given = {}) {
      made += 1;
      const user = await running.app.get(Users, { strict: false }).create({
        email: `user${made}@example.com`,
        password,
        role: 'USER',
        name: 'Ada Lovelace',
        givenName: 'Ada',
        familyName: 'Lovelace',
        preferredUsername: 'ada',
        emailVerified: true,
        ...given,
      });
      if (!user) throw new Error('the address is taken');
      return user;
    },
    async createClient(given = {}) {
      const created = await running.app.get(Clients, { strict: false }).create({
        name: 'Example App',
        redirectUris: ['https://app.example.com/callback'],
        grantTypes: ['authorization_code', 'refresh_token'],
        authMethod: 'client_secret_post',
        ...given,
      });
      if (!created) throw new Error('the client id is taken');
      return { clientId: created.clientId, clientSecret: created.clientSecret ?? '' };
    },
    async close() {
      await Promise.all(replicas.map((replica) => replica.close()));
      await running.close();
      await database.drop();
    },
  };
}
