// What several replicas may do to the same rows at the same time.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isDatabaseUnavailable, type Db } from '@tradewind/service-kit';
import type { TestDatabase } from '@tradewind/testkit';
import { createIdentityDatabase, openIdentityDb } from '../../../test/identity-database.js';
import { ClientRecords } from '../../clients/client-records.js';
import { SealedText } from '../../sealed-text.js';
import { AttemptsStore } from '../../throttle/attempts.store.js';
import { PayloadAdapter } from './payload-adapter.js';
import { PayloadsStore } from './payloads.store.js';
import { UnitOfWorkStore } from '../../unit-of-work/unit-of-work.store.js';
import { inUnitOfWork, payloadKey, UnitOfWork, type PayloadRecord } from '../../unit-of-work/unit-of-work.js';

describe('statements that meet', () => {
  let database: TestDatabase;
  let db: Db;
  let payloads: PayloadsStore;
  let units: UnitOfWorkStore;
  let attempts: AttemptsStore;
  beforeAll(async () => {
    database = await createIdentityDatabase();
    db = await openIdentityDb(database.url, { poolSize: 20 });
    payloads = new PayloadsStore(db, new ClientRecords(new SealedText(['key'])));
    units = new UnitOfWorkStore(db);
    attempts = new AttemptsStore(db);
  });
  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  const deadlocks = async (): Promise<number> => {
    await Promise.all(Array.from({ length: 20 }, () => db.rows('select pg_stat_force_next_flush()')));
    const [row] = await db.rows<{ deadlocks: string }>(
      'select deadlocks from pg_stat_database where datname = current_database()',
    );
    return Number(row?.deadlocks);
  };

  it('logins of one account from one address never wait for each other in a circle', async () => {
    const account = { key: 'login account x', limit: 1_000_000, windowSeconds: 900 };
    const ip = { key: 'login ip x', limit: 1_000_000, windowSeconds: 900 };
    const login = async () => {
      for (let n = 0; n < 60; n += 1) {
        await attempts.take([account, ip]);
        const unit = new UnitOfWork();
        unit.clearedAttempts.push(account.key);
        unit.refundedAttempts.push(ip.key);
        await units.commit(unit);
      }
    };
    await Promise.all(Array.from({ length: 20 }, login));
    expect(await deadlocks()).toBe(0);
  }, 60_000);

  it('a statement that the database cancels counts as a database that does not answer', async () => {
    const impatient = await openIdentityDb(database.url, { poolSize: 1, statementTimeoutMs: 300 });
    try {
      await store(session('held', {}));
      await db.transaction(async (tx) => {
        await tx.rows(`select * from oidc_payload where uid = 'browser' for update`);
        const failure = await new PayloadsStore(impatient, new ClientRecords(new SealedText(['key'])))
          .consume('Session', 'held')
          .catch((error: unknown) => error);
        expect(failure).toBeInstanceOf(Error);
        expect(isDatabaseUnavailable(failure)).toBe(true);
      });
    } finally {
      await impatient.close();
    }
  });

  const session = (id: string, authorizations: Record<string, object>, accountId = 'ada'): PayloadRecord => ({
    model: 'Session',
    id,
    uid: 'browser',
    payload: JSON.stringify({ accountId, authorizations }),
    expiresInSeconds: 60,
  });
  const store = (record: PayloadRecord, replaces?: string): Promise<boolean> => {
    const unit = new UnitOfWork();
    unit.upserts.set(payloadKey(record.model, record.id), record);
    if (replaces) unit.deletes.set(replaces, { model: 'Session', id: replaces, required: false });
    return units.commit(unit);
  };
  const stored = async (): Promise<{ accountId: string; authorizations: Record<string, object> }> =>
    JSON.parse((await payloads.findByUid('Session', 'browser'))?.payload ?? '{}') as Awaited<ReturnType<typeof stored>>;

  it('twenty tabs that replace the session of their browser leave one session with all their grants', async () => {
    // Every tab begins with every application, and each gets its own grant.
    const tabs = Array.from({ length: 20 }, (_, n) => `tab${n}`);
    const begun = Object.fromEntries(tabs.map((tab) => [tab, { sid: `sid of ${tab}` }]));
    await store(session('first', begun));
    const granted = (tab: string) => ({ [tab]: { sid: `sid of ${tab}`, grantId: `grant of ${tab}` } });
    expect(await Promise.all(tabs.map((tab) => store(session(tab, { ...begun, ...granted(tab) }), 'first')))).toEqual(
      tabs.map(() => true),
    );
    expect((await stored()).authorizations).toEqual(Object.assign({}, ...tabs.map(granted)));
    const rows = await db.rows('select id from oidc_payload where uid = $1', ['browser']);
    expect(rows).toHaveLength(1);
  });

  it('a session that is written under its old key keeps the grants of other tabs', async () => {
    await store(session('same', { one: { grantId: '1' } }));
    await store(session('same', { two: { grantId: '2' } }));
    expect((await stored()).authorizations).toMatchObject({ one: { grantId: '1' }, two: { grantId: '2' } });
  });

  it('a replaced key finds its session as it was for ten seconds, which nothing prolongs', async () => {
    const expiry = async () =>
      (
        await db.rows<{ uid: string | null; seconds: number }>(
          "select uid, extract(epoch from expires_at - now())::float8 as seconds from oidc_payload where id = 'before'",
        )
      )[0];
    await store(session('before', { one: { grantId: '1' } }));
    await store(session('after', { one: { grantId: '1' }, two: { grantId: '2' } }), 'before');
    const found = await payloads.find('Session', 'before');
    expect(JSON.parse(found?.payload ?? '{}')).toMatchObject({ authorizations: { one: { grantId: '1' } } });
    const first = await expiry();
    expect(first?.uid).toBeNull();
    expect(first?.seconds).toBeLessThanOrEqual(10);
    await store(session('later', {}), 'before');
    expect((await expiry())?.seconds).toBeLessThanOrEqual(first?.seconds ?? 0);
    expect(Object.keys((await stored()).authorizations)).toEqual(expect.arrayContaining(['one', 'two']));
  });

  it('a used code stays used when it is stored again, and only the first request that uses it stores anything', async () => {
    const code = { model: 'AuthorizationCode', id: 'code', payload: '{}', expiresInSeconds: 60 };
    const redeem = async (token: string) => {
      const unit = new UnitOfWork();
      unit.consumptions.set('code', { model: 'AuthorizationCode', id: 'code', grantId: undefined });
      unit.upserts.set(token, { ...code, model: 'AccessToken', id: token });
      return units.commit(unit);
    };
    await store(code);
    const redemptions = ['1', '2', '3', '4', '5', '6', '7', '8'];
    const outcomes = await Promise.all(redemptions.map(redeem));
    expect(outcomes.filter(Boolean)).toHaveLength(1);
    await store(code);
    expect((await payloads.find('AuthorizationCode', 'code'))?.consumedAtSeconds).toEqual(expect.any(Number));
    expect(await redeem('9')).toBe(false);
    const stored = await Promise.all([...redemptions, '9'].map((token) => payloads.find('AccessToken', token)));
    expect(stored.map((found) => found !== undefined)).toEqual([...outcomes, false]);
  });

  it('a grant that is revoked while a request adds to it does not come back', async () => {
    const grants = new PayloadAdapter('Grant', payloads);
    const grant = { kind: 'Grant', clientId: 'a client', openid: { scope: 'openid' } };
    const store = (unit: UnitOfWork, scope: string) =>
      inUnitOfWork(unit, () => grants.upsert('revoked meanwhile', { ...grant, openid: { scope } }, 60));
    const first = new UnitOfWork();
    await store(first, 'openid');
    expect(await units.commit(first)).toBe(true);

    const [kept, late] = [new UnitOfWork(), new UnitOfWork()];
    for (const unit of [kept, late]) {
      await inUnitOfWork(unit, () => grants.find('revoked meanwhile'));
      await store(unit, 'openid email');
    }
    expect(await units.commit(kept)).toBe(true);
    await db.rows(`delete from oidc_payload where client_id = 'a client'`);
    expect(await units.commit(late)).toBe(false);
    expect(await payloads.find('Grant', 'revoked meanwhile')).toBeUndefined();
  });

  it('a request that comes second ends no grant and no session, and changes neither clients nor attempts', async () => {
    const row = (model: string, id: string) => ({ model, id, payload: '{}', expiresInSeconds: 60 });
    await store(row('AuthorizationCode', 'used'));
    expect(await payloads.consume('AuthorizationCode', 'used')).toBe(true);
    await store({ ...row('AccessToken', 'of the grant'), grantId: 'a grant' });
    await store({ ...session('as it is', {}), uid: 'a browser' });
    await db.rows(`insert into oauth_client (client_id, metadata, origin) values ('a client', '{}', 'registration')`);
    const attempt = { key: 'an attempt', limit: 9, windowSeconds: 900 };
    await attempts.take([attempt]);
    await attempts.take([{ ...attempt, key: 'another' }]);
    const unit = new UnitOfWork();
    unit.consumptions.set('used', { model: 'AuthorizationCode', id: 'used', grantId: undefined });
    unit.revokedGrants.set('a grant', { model: 'AccessToken', grantId: 'a grant' });
    unit.upserts.set('next', { ...session('next', {}), uid: 'a browser' });
    unit.deletes.set('as it is', { model: 'Session', id: 'as it is', required: false });
    unit.usedClients.add('a client');
    unit.refundedAttempts.push('an attempt');
    unit.clearedAttempts.push('another');
    expect(await units.commit(unit)).toBe(false);
    expect(await payloads.find('AccessToken', 'of the grant')).toBeDefined();
    expect(await db.rows(`select id from oidc_payload where uid = 'a browser'`)).toEqual([{ id: 'as it is' }]);
    expect(await db.rows(`select used_at from oauth_client where client_id = 'a client'`)).toEqual([{ used_at: null }]);
    expect(await db.rows(`select attempts from attempt_window where key in ('an attempt', 'another')`)).toEqual([
      { attempts: 1 },
      { attempts: 1 },
    ]);
  });

  it('another user of the same browser inherits nothing', async () => {
    await store(session('other', { theirs: {} }, 'grace'));
    expect(await stored()).toEqual({ accountId: 'grace', authorizations: { theirs: {} } });
  });
});
