// Migrations of a database with users, clients and tokens, while it is in use.
import { describe, expect, it } from '@jest/globals';
import { migrateDatabase } from '@tradewind/service-kit';
import { migrationFaults } from '@tradewind/testkit';
import { migrations } from './migrations.js';

const rows = {
  '0001-identity': `
    insert into user_account (email, email_key, role, password_hash, disabled_at)
      select 'user' || n || '@example.com', 'user' || n || '@example.com', (array['USER', 'ANALYST', 'ADMIN'])[n % 3 + 1],
             '$argon2id$', case when n % 10 = 0 then now() - n * interval '1 hour' end
        from generate_series(1, 300) as n;
    insert into oauth_client (client_id, metadata, secret_sealed, origin, used_at)
      select 'client' || n, '{"client_name":"Example"}', 'sealed', case when n % 2 = 0 then 'operator' else 'registration' end,
             case when n % 3 = 0 then now() end from generate_series(1, 50) as n;
    insert into oidc_payload (model, id, payload, grant_id, uid, client_id, account_id, expires_at)
      select model, model || n, '{"scope":"openid"}', 'grant' || n, case when model = 'Session' then 'session' || n end,
             'client' || (n % 50 + 1), (select id from user_account limit 1), now() + interval '1 day'
        from unnest(array['Grant', 'AccessToken', 'RefreshToken', 'Session']) as model, generate_series(1, 300) as n;
    insert into signing_key (kid, state, public_jwk, private_sealed) values ('a', 'current', '{}', 's'), ('b', 'next', '{}', 's');
    insert into attempt_window select 'login account ' || n, n, now() + interval '15 minutes' from generate_series(1, 20) as n;
    insert into audit_event (event, details) select 'login.succeeded', '{"via":"form"}' from generate_series(1, 300)`,
  '0003-credentials-version': `
    insert into user_account (email, email_key, role, password_hash, credentials_version, disabled_at)
      values ('later@example.com', 'later@example.com', 'USER', '$argon2id$', 3, now())`,
  '0004-client-resources': `
    insert into oauth_client (client_id, metadata, origin, resources) values ('crm', '{}', 'operator', '{urn:tradewind:data}')`,
  '0006-sessions-and-grants-of-users': `
    insert into logout_call (client_id, user_id, sid)
      select 'crm', id, 'sid' from user_account limit 10`,
  '0008-second-factors': `
    update user_account set second_factor_at = now() where email like 'user1%';
    insert into totp_secret (user_id, secret_sealed, last_step)
      select id, 'sealed', 1 from user_account where second_factor_at is not null;
    insert into passkey (id, user_id, public_key, sign_count, transports, is_synced, name)
      select 'passkey of ' || id, id, 'key', 0, '{internal}', false, 'Chrome, Linux' from user_account
       where second_factor_at is not null;
    insert into recovery_code (user_id, code_hash)
      select id, 'hash' || n from user_account, generate_series(1, 10) as n where second_factor_at is not null`,
  '0009-account-links': `
    insert into account_link (token_hash, user_id, kind, credentials_version, is_mailed, expires_at)
      select 'hash of ' || id, id, 'password', 1, true, now() + interval '1 day' from user_account limit 20;
    insert into account_mail (kind, email_key, language) select 'password', email_key, 'en' from user_account limit 20`,
};

describe('migrations of identity', () => {
  it('take a filled database forward while it is read, written and migrated by another process', async () => {
    expect(await migrationFaults({ schema: 'identity', migrations, migrateDatabase, rows })).toEqual([]);
  }, 60_000);
});
