// A large table of tokens: expired rows are deleted in batches, and every look-up uses an index. STORED_TOKENS sets the
// number; with 1,000,000 the figures for docs/benchmarks are printed.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Db } from '@tradewind/service-kit';
import type { TestDatabase } from '@tradewind/testkit';
import { createIdentityDatabase, openIdentityDb } from '../test/identity-database.js';
import { ClientRecords } from './clients/client-records.js';
import { PayloadsStore } from './oidc/payloads/payloads.store.js';
import { UserPayloadsStore } from './oidc/payloads/user-payloads.store.js';
import { UnitOfWorkStore } from './unit-of-work/unit-of-work.store.js';
import { UnitOfWork } from './unit-of-work/unit-of-work.js';
import { SealedText } from './sealed-text.js';

const storedTokens = Number(process.env['STORED_TOKENS'] ?? 60_000);

function report(figures: object): void {
  if (process.env['STORED_TOKENS']) process.stdout.write(`${JSON.stringify(figures)}\n`);
}

describe('a large table of tokens', () => {
  let database: TestDatabase;
  let db: Db;
  let stores: [PayloadsStore, PayloadsStore];
  let units: UnitOfWorkStore;
  beforeAll(async () => {
    database = await createIdentityDatabase();
    db = await openIdentityDb(database.url, { poolSize: 8 });
    const store = () => new PayloadsStore(db, new ClientRecords(new SealedText(['key'])));
    units = new UnitOfWorkStore(db);
    stores = [store(), store()];
    // A tenth has expired; ten tokens share a grant.
    await db.rows(
      `insert into oidc_payload (model, id, payload, grant_id, client_id, account_id, expires_at)
       select 'AccessToken', 'token' || n, '{"scope":"openid profile email","kind":"AccessToken"}', 'grant' || n / 10, 'client' || n % 50,
              md5((n % 1000)::text)::uuid, now() + case when n % 10 = 0 then interval '-1 hour' else interval '1 hour' end
         from generate_series(1, $1::int) as n`,
      [storedTokens],
    );
    await db.rows('vacuum analyze oidc_payload');
  }, 300_000);
  afterAll(async () => {
    await db.close();
    await database.drop();
  });

  const count = async (condition = 'true') =>
    Number((await db.rows<{ count: string }>(`select count(*) from oidc_payload where ${condition}`))[0]?.count);

  async function tableScans(work: () => Promise<unknown>): Promise<number> {
    const read = async () => {
      const rows = await db.rows<{ scans: string }>(
        `select pg_stat_force_next_flush(), seq_scan as scans from pg_stat_user_tables where relname = 'oidc_payload'`,
      );
      return Number(rows[0]?.scans);
    };
    // Every session reports its own statistics when it is idle, so all sessions of the pool are asked to.
    const flushAll = () =>
      Promise.all(Array.from({ length: 8 }, () => db.rows('select pg_stat_force_next_flush(), pg_sleep(0.05)')));
    await flushAll();
    const before = await read();
    await work();
    await flushAll();
    return (await read()) - before;
  }

  it('finds, consumes and revokes through indexes, never by a scan of the table', async () => {
    const [store] = stores;
    const scans = await tableScans(async () => {
      expect((await store.find('AccessToken', 'token7'))?.grantId).toBe('grant0');
      expect(await store.find('AccessToken', 'token10')).toBeUndefined();
      expect(await store.consume('AccessToken', 'token17')).toBe(true);
      expect(await store.consume('AccessToken', 'token17')).toBe(false);
      await db.transaction((tx) => store.revokeGrant(tx, 'grant5'));
      const unit = new UnitOfWork();
      unit.revokedGrants.set('x', { model: 'AccessToken', grantId: 'grant6' });
      expect(await units.commit(unit)).toBe(true);
      const users = new UserPayloadsStore(db);
      const ended = await db.transaction((tx) => users.endEverything(tx, 'c4ca4238-a0b9-2382-0dcc-509a6f75849b'));
      expect(ended).toBeGreaterThan(0);
    });
    expect(scans).toBe(0);
    expect(await count(`grant_id in ('grant5', 'grant6')`)).toBe(0);
  }, 60_000);

  it('two replicas delete the expired rows in batches, each row once', async () => {
    const expired = await count('expires_at < now()');
    const kept = await count('expires_at >= now()');
    const clean = async (store: PayloadsStore) => {
      let total = 0;
      for (;;) {
        const deleted = await store.deleteExpired(500);
        expect(deleted).toBeLessThanOrEqual(500);
        total += deleted;
        if (deleted === 0) return total;
      }
    };
    const started = performance.now();
    const totals = await Promise.all(stores.map(clean));
    report({ expired, deletedInMs: performance.now() - started });
    expect(totals[0]! + totals[1]!).toBe(expired);
    expect(await count('expires_at < now()')).toBe(0);
    expect(await count()).toBe(kept);
  }, 120_000);

  it('looks up, revokes and stores single rows without a scan of the table', async () => {
    const [store] = stores;
    const meanMs = async (times: number, work: (n: number) => Promise<unknown>): Promise<number> => {
      for (let n = 0; n < 50; n += 1) await store.find('AccessToken', `token${n * 13 + 1}`);
      const started = performance.now();
      for (let n = 0; n < times; n += 1) await work(n);
      return (performance.now() - started) / times;
    };
    let lookUpMs = 0;
    let revokeMs = 0;
    let storeMs = 0;
    // The guarantee is that it never scans the table, whatever its size. The time is only reported.
    const scans = await tableScans(async () => {
      lookUpMs = await meanMs(300, (n) => store.find('AccessToken', `token${(n * 7919) % storedTokens}`));
      revokeMs = await meanMs(100, (n) => db.transaction((tx) => store.revokeGrant(tx, `grant${100 + n}`)));
      storeMs = await meanMs(100, (n) => {
        const unit = new UnitOfWork();
        unit.upserts.set(`new${n}`, {
          model: 'AccessToken',
          id: `new${n}`,
          payload: '{}',
          grantId: 'new',
          expiresInSeconds: 900,
        });
        return units.commit(unit);
      });
    });
    const sizes = await db.rows<Record<string, string>>(
      `select pg_size_pretty(pg_relation_size('oidc_payload')) as rows, pg_size_pretty(pg_indexes_size('oidc_payload')) as indexes`,
    );
    report({ storedTokens, lookUpMs, revokeGrantOfTenMs: revokeMs, storeMs, ...sizes[0] });
    expect(scans).toBe(0);
  }, 60_000);
});
