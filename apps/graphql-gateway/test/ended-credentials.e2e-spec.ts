/* eslint-disable @typescript-eslint/no-unsafe-assignment -- answers are JSON of any shape, and the assertions judge them */
// API keys end with the credentials of their user, on every replica, whatever happens at the same time. An earlier JWT
// of the user makes no new key.
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { AuditLogService } from '../src/api-keys/audit-log.service.js';
import { startGateway, type Answer, type TestGateway } from './support/gateway.js';

const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) }';
const input = { name: 'made' };
const invalid = {
  message: expect.stringMatching(/^Invalid token/),
  error: 'Unauthorized',
  statusCode: 401,
};

describe('ended credentials', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ KEY_CACHE_MS: '200', IDENTITY_TIMEOUT_MS: '1000' }, 2);
  });
  afterEach(() => {
    gateway.identity.meStatus = undefined;
    gateway.identity.afterMe = undefined;
  });
  afterAll(() => gateway.close());

  const use = async (key: string, replica = 0) => (await gateway.data(key, '{ __typename }', {}, { replica })).status;
  const until = async (isTrue: () => Promise<boolean> | boolean): Promise<void> => {
    const endMs = performance.now() + 20_000;
    while (!(await isTrue())) {
      if (performance.now() > endMs) throw new Error(`waited in vain until ${String(isTrue)}`);
      await delay(20);
    }
  };
  const untilRefused = (key: string) => until(async () => (await use(key)) === 401 && (await use(key, 1)) === 401);
  /** Waits until each replica has read all changes so far. */
  const untilRead = async () => {
    const before = gateway.identity.changesReads;
    await until(() => gateway.identity.changesReads >= before + 6);
  };
  const keysOf = async ({ id }: { id: string }): Promise<Record<string, unknown>[]> =>
    (await gateway.sql.query<Record<string, unknown>>('select * from api_key where user_id = $1', [id])).rows;

  it('end all keys of their user on every replica, and no others', async () => {
    const { key, user } = await gateway.newKey();
    const second = await gateway.newKey({ user });
    const others = await Promise.all([gateway.newKey(), gateway.newKey(), gateway.newKey()]);
    for (const each of [key, second.key, ...others.map((other) => other.key)]) {
      expect([await use(each), await use(each, 1)]).toEqual([200, 200]);
    }
    gateway.identity.endCredentials(user);
    await untilRefused(key);
    await untilRefused(second.key);
    for (const other of others) expect([await use(other.key), await use(other.key, 1)]).toEqual([200, 200]);
    for (const replica of gateway.replicas) await replica.app.get(AuditLogService).flush();
    const { rows } = await gateway.sql.query(
      `select count(*)::int as revoked from api_key_audit where user_id = $1 and outcome = 'revoked'`,
      [user.id],
    );
    expect(rows).toEqual([{ revoked: 2 }]);
  });

  it('do not end a key that was made with the new credentials, however often the list is read', async () => {
    const { key, user } = await gateway.newKey();
    gateway.identity.endCredentials(user);
    // Whether the change is read yet or not, the new key has the version of the new password.
    const renewed = await gateway.newKey({ user });
    await untilRefused(key);
    await gateway.sql.query(`update credential_changes_read set cursor = '0'`);
    await untilRead();
    expect([await use(renewed.key), await use(key)]).toEqual([200, 401]);
  });

  it('stop an earlier JWT from making a key at once', async () => {
    const user = gateway.identity.addUser();
    const before = gateway.identity.token(user);
    gateway.identity.changes = [...gateway.identity.changes!];
    gateway.identity.endCredentials(user);
    const refused: Answer = await gateway.auth(before, create, { input });
    expect([refused.status, refused.body]).toEqual([401, invalid]);
    expect(await keysOf(user)).toEqual([]);
  });

  it('make no key while identity does not confirm the user', async () => {
    const user = gateway.identity.addUser();
    for (const status of [500, 503, 404, 429]) {
      gateway.identity.meStatus = status;
      const { status: answered, body } = await gateway.auth(gateway.identity.token(user), create, { input });
      expect([answered, body]).toEqual([
        502,
        { message: expect.stringContaining('identity'), error: 'Bad Gateway', statusCode: 502 },
      ]);
    }
    // Identity hangs, so the time limit of the call decides.
    gateway.identity.meStatus = undefined;
    gateway.identity.afterMe = () => delay(3000);
    expect((await gateway.auth(gateway.identity.token(user), create, { input })).status).toBe(502);
    expect(await keysOf(user)).toEqual([]);
  });

  it('end a key that was being made at the same time', async () => {
    const user = gateway.identity.addUser();
    const token = gateway.identity.token(user);
    // Identity confirms; then the credentials end, and the gateway reads that before the key is stored.
    gateway.identity.afterMe = async () => {
      gateway.identity.afterMe = undefined;
      gateway.identity.endCredentials(user);
      await until(async () => {
        const { rows } = await gateway.sql.query('select from ended_credentials where user_id = $1', [user.id]);
        return rows.length === 1;
      });
    };
    const refused = await gateway.auth(token, create, { input });
    expect([refused.status, refused.body]).toEqual([401, invalid]);
    expect(await keysOf(user)).toEqual([]);
  });

  it('wait for a key that is being stored, and then end it', async () => {
    const user = gateway.identity.addUser();
    const holder = await gateway.sql.connect();
    try {
      // Like the transaction of createApiKey on another replica, which has seen no end and has not committed.
      await holder.query('begin');
      await holder.query('select from credential_changes_read for share');
      gateway.identity.endCredentials(user);
      await until(async () => {
        const { rows } = await gateway.sql.query(
          `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
        );
        return rows.length > 0;
      });
      await holder.query(
        `insert into api_key (user_id, user_email, name, prefix, key_hash, created_at, expires_at, credentials_version)
         values ($1, 'a', 'late', 'svc_late', sha256('late'), now(), now() + interval '1 day', 1)`,
        [user.id],
      );
      await holder.query('commit');
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    await until(async () => ((await keysOf(user))[0] as { revoked_at: Date | null }).revoked_at !== null);
  });

  it('are read after identity or the gateway was away, and keys work meanwhile', async () => {
    const [one, other] = [await gateway.newKey(), await gateway.newKey()];
    const told = gateway.identity.changes!;
    gateway.identity.changes = undefined;
    await untilRead();
    expect([await use(one.key), await use(one.key, 1)]).toEqual([200, 200]);
    gateway.identity.changes = told;
    gateway.identity.endCredentials(one.user);
    await untilRefused(one.key);
    await gateway.identity.stop();
    try {
      expect(await use(other.key)).toBe(200);
    } finally {
      gateway.identity.endCredentials(other.user);
      await gateway.identity.start();
    }
    await untilRefused(other.key);
  });

  it('end keys that were made before versions existed', async () => {
    const { key, user } = await gateway.newKey();
    await gateway.sql.query('update api_key set credentials_version = 0 where user_id = $1', [user.id]);
    gateway.identity.endCredentials(user);
    await untilRefused(key);
  });

  it('are read from the beginning after identity was restored to an earlier state', async () => {
    const { identity } = gateway;
    const { key, user } = await gateway.newKey();
    await untilRead();
    identity.changes = identity.changes!.slice(0, 1);
    await untilRead();
    identity.endCredentials(user);
    await untilRefused(key);
  });

  it('have an age metric, so that an alert notices when identity stops reporting them', async () => {
    const ageOf = async () => {
      const text = await (await fetch(gateway.replicas[0]!.metricsUrl)).text();
      return Number(/^tradewind_graphql_gateway_credential_changes_age_seconds (\S+)$/m.exec(text)?.[1]);
    };
    await untilRead();
    expect(await ageOf()).toBeLessThan(2);
    const told = gateway.identity.changes;
    gateway.identity.changes = undefined;
    try {
      await until(async () => (await ageOf()) > 2.5);
    } finally {
      gateway.identity.changes = told;
    }
    await until(async () => (await ageOf()) < 2);
  });
});
