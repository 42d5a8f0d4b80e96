// What other services learn about users whose credentials ended: complete and in the order of the commits.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { setTimeout as delay } from 'node:timers/promises';
import { migrateDatabase, serviceTokenEntry } from '@tradewind/service-kit';
import type { CredentialChangesPage } from '@tradewind/shared-types';
import { createTestDatabase, testPool } from '@tradewind/testkit';
import pg from 'pg';
import { migrations } from '../src/migrations.js';
import { Users } from '../src/operators/users.service.js';
import { startIdentity, type Identity } from './identity.fixture.js';

const token = 'token-of-the-gateway';
const newPassword = 'another long password';

describe('GET /internal/credential-changes', () => {
  let identity: Identity;
  let users: Users;
  let sql: pg.Pool;
  beforeAll(async () => {
    identity = await startIdentity({
      SERVICE_TOKENS: [
        serviceTokenEntry(token, { name: 'gateway', services: ['identity'] }),
        serviceTokenEntry('token-for-others', { name: 'other', services: ['interactions'] }),
        serviceTokenEntry('token-of-acme', { name: 'acme', services: ['identity'], companyId: 'acme' }),
      ].join(','),
    });
    users = identity.running.app.get(Users, { strict: false });
    sql = testPool({ connectionString: identity.databaseUrl, options: '-c search_path=identity', max: 3 });
    // The database is dropped while connections may still be closing.
  });
  afterAll(async () => {
    await sql.end();
    await identity.close();
  });

  const ask = (query: string, credential: string | undefined = token) =>
    fetch(`${identity.issuer}/internal/credential-changes${query}`, {
      headers: credential === undefined ? {} : { authorization: `Bearer ${credential}` },
    });
  const read = async (after?: string) =>
    (await (await ask(after === undefined ? '' : `?after=${after}`)).json()) as CredentialChangesPage;
  const end = async () => (await read()).last;

  it('is for services with a token for identity and for all companies', async () => {
    const statuses = await Promise.all(
      ['', 'wrong', 'token-for-others', 'token-of-acme', token].map(async (credential) => {
        const { status } = await ask('', credential === '' ? undefined : credential);
        return [credential, status];
      }),
    );
    expect((await fetch(`${identity.issuer}/internal/credential-changes`)).status).toBe(401);
    expect(statuses.slice(1)).toEqual([
      ['wrong', 401],
      ['token-for-others', 403],
      ['token-of-acme', 403],
      [token, 200],
    ]);
    for (const after of ['x', '-1', '', '1e3', '9'.repeat(19), '1&after=2']) {
      expect([after, (await ask(`?after=${after}`)).status]).toEqual([after, 400]);
    }
  });

  it('ignores query parameters that it does not know', async () => {
    expect((await ask('?after=0&trace=1')).status).toBe(200);
  });

  it('lists new passwords, disabled users and deleted users, and nothing else', async () => {
    const before = await end();
    const changed = await identity.createUser();
    await users.setPassword(changed.email, newPassword);
    const disabled = await identity.createUser();
    await users.setCompany(disabled.email, 'acme');
    await users.disable(disabled.email);
    await users.enable(disabled.email);
    const deleted = await identity.createUser();
    await users.setRole(deleted.email, 'ANALYST');
    await users.delete(deleted.email);
    const { changes, cursor, last } = await read(before);
    expect(changes.map(({ user_id, credentials_version }) => [user_id, credentials_version])).toEqual([
      [changed.id, 2],
      [disabled.id, 3],
      [deleted.id, 3],
    ]);
    expect(cursor).toBe(last);
    expect(await read(cursor)).toEqual({ changes: [], cursor, last });
  });

  it('moves a user to the end with every change, and keeps only the last', async () => {
    const [one, other] = [await identity.createUser(), await identity.createUser()];
    const before = await end();
    await users.disable(one.email);
    const between = await end();
    await users.disable(other.email);
    await users.setPassword(one.email, newPassword);
    const ofBoth = [
      [other.id, 2],
      [one.id, 3],
    ];
    for (const after of [before, between]) {
      const { changes } = await read(after);
      expect(changes.map(({ user_id, credentials_version }) => [user_id, credentials_version])).toEqual(ofBoth);
    }
  });

  it('never shows a change before an earlier one is committed', async () => {
    const [slow, quick] = [await identity.createUser(), await identity.createUser()];
    const before = await end();
    const holder = await sql.connect();
    try {
      // The first change has its position but is not committed yet, as on a slow disk or network.
      await holder.query('begin');
      await holder.query('update credential_change_position set last = last + 1');
      let isDone = false;
      const second = users.disable(quick.email).then(() => (isDone = true));
      await delay(300);
      expect([isDone, await read(before)]).toEqual([false, { changes: [], cursor: before, last: before }]);
      await holder.query(
        `insert into credential_change (user_id, credentials_version, position)
         select $1, 2, last from credential_change_position`,
        [slow.id],
      );
      await holder.query('commit');
      await second;
    } finally {
      await holder.query('rollback');
      holder.release();
    }
    expect((await read(before)).changes.map(({ user_id }) => user_id)).toEqual([slow.id, quick.id]);
  });

  it('keeps its order under parallel changes, page by page', async () => {
    const before = await end();
    const many = await Promise.all(Array.from({ length: 12 }, () => identity.createUser()));
    await Promise.all(many.flatMap(({ email }) => [users.disable(email), users.setRole(email, 'ANALYST')]));
    await sql.query(
      `with made as (insert into credential_change (user_id, credentials_version, position)
                     select gen_random_uuid(), 2, last + n from credential_change_position, generate_series(1, 1100) n
                     returning 1)
       update credential_change_position set last = last + (select count(*) from made)`,
    );
    const seen: string[] = [];
    let cursor = before;
    for (let pages = 1; ; pages++) {
      const page = await read(cursor);
      seen.push(...page.changes.map(({ user_id }) => user_id));
      cursor = page.cursor;
      if (cursor === page.last) {
        expect(pages).toBe(3);
        break;
      }
    }
    expect(seen).toHaveLength(1112);
    expect(new Set(seen.slice(0, 12))).toEqual(new Set(many.map(({ id }) => id)));
  });

  it('begins with the users who were disabled before the list existed', async () => {
    const database = await createTestDatabase();
    const settings = { DATABASE_URL: database.url, DATABASE_SCHEMA: 'identity' };
    const older = new pg.Client({ connectionString: database.url, options: '-c search_path=identity' });
    try {
      await migrateDatabase(
        settings,
        migrations.filter(({ name }) => name < '0005'),
      );
      await older.connect();
      await older.query(
        `insert into user_account (email, email_key, role, password_hash, disabled_at, credentials_version)
         values ('a', 'a', 'USER', 'x', now(), 4), ('b', 'b', 'USER', 'x', null, 2)`,
      );
      await migrateDatabase(settings, migrations);
      const { rows } = await older.query(
        `select email, c.credentials_version, position, last
           from credential_change c join user_account on id = user_id, credential_change_position`,
      );
      expect(rows).toEqual([{ email: 'a', credentials_version: 4, position: '1', last: '1' }]);
    } finally {
      await older.end();
      await database.drop();
    }
  });
});
