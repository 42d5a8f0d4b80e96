// The whole service on a database of its own, as main.ts starts it.
import { hash } from '@node-rs/argon2';
import { Db, startService, type RunningService } from '@tradewind/service-kit';
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
  /** @param hashed with `quickly` a sign-in of this user takes no time: a thousand of them would take ten seconds */
  createUser(given?: Partial<CreateUser>, hashed?: 'quickly' | 'as always'): Promise<User>;
  createClient(given?: Partial<CreateClient>): Promise<{ clientId: string; clientSecret: string }>;
  close(): Promise<void>;
}

let made = 0;

const quickHash = (secret: string) => hash(secret.normalize('NFKC'), { memoryCost: 8, timeCost: 1, parallelism: 1 });

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
    async createUser(given = {}, hashed = 'quickly') {
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
      if (hashed === 'quickly') {
        const passwordHash = await quickHash(given.password ?? password);
        const statement = 'update user_account set password_hash = $1 where id = $2';
        await running.app.get(Db, { strict: false }).affected(statement, [passwordHash, user.id]);
      }
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
