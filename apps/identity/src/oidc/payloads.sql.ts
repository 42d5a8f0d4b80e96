// All SQL of the table oidc_payload.
import type { Statement } from '../storage/prepared-statements.js';
import { userColumns } from '../users/users.types.js';

// An expired row does not exist, even if the clean-up has not come by yet.
const company = `
  select p.model, p.id, p.uid, p.payload, extract(epoch from p.consumed_at)::int as consumed_at,
         p.grant_id, g.payload as grant_payload,
         p.client_id, c.metadata as client_metadata, c.secret_sealed as client_secret,
         p.account_id, ${userColumns('u', 'user_')},
         p.session_uid, s.id as session_id, s.payload as session_payload
    from oidc_payload p
    left join oidc_payload g on g.model = 'Grant' and g.id = p.grant_id and p.model <> 'Grant' and g.expires_at > now()
    left join oauth_client c on c.client_id = p.client_id
    left join user_account u on u.id = p.account_id
    left join oidc_payload s on s.uid = p.session_uid and s.model = 'Session' and s.expires_at > now()`;

export const findByIds: Statement = {
  name: 'payload_find',
  text: `${company} where p.model = $1 and p.id = any($2::text[]) and p.expires_at > now()`,
};

export const findByUid: Statement = {
  name: 'payload_find_by_uid',
  text: `${company} where p.model = $1 and p.uid = $2 and p.expires_at > now()`,
};

/** Everything a resumed or new authorization request needs, found by its two cookies and its client, in one trip. */
export const findForAuthorization: Statement = {
  name: 'payload_find_for_authorization',
  text: `${company}
    where p.expires_at > now()
      and ((p.model = 'Session' and p.id = $1) or (p.model = 'Interaction' and p.id = $2))`,
};

// The condition on consumed_at makes a single winner among any number of redemptions on any number of replicas.
export const consume: Statement = {
  name: 'payload_consume',
  // Not flushed to disk by itself: the tokens that follow are, and with them everything before. Should the server crash in
  // between, no token was handed out, and the code is as good as before.
  text: `with relaxed as (select set_config('synchronous_commit', 'off', true) as value)
         update oidc_payload set consumed_at = now() from relaxed
          where model = $1 and id = $2 and consumed_at is null and expires_at > now() and relaxed.value is not null`,
};

export const revokeGrant: Statement = {
  name: 'payload_revoke_grant',
  text: `delete from oidc_payload
          where grant_id = $1 and model in ('AccessToken', 'RefreshToken', 'AuthorizationCode', 'Grant')`,
};

export const revokeUser: Statement = {
  name: 'payload_revoke_user',
  text: 'delete from oidc_payload where account_id = $1',
};

/** Longer than a request takes, shorter than anyone could use a key that has been left behind. */
const replacedSessionSeconds = 10;

// One statement, one trip, one transaction for all writes of a request. The upserts happen only if every required
// delete found its row: of two requests that resolve the same interaction, the second stores nothing.
// Parts that touch the same row within one statement would race; RequestUnit keeps one write per key.
// A session gets a new key at every step, and tabs of one browser take steps at the same time: whichever comes later
// takes the place of the other's session (`twins`, `earlier`) and keeps what that one was granted. A request that is on
// its way with the key of before still finds it for a moment (`replaced`): without its uid, and as it was then.
// Attempt windows are locked in the order of their keys, as attempts.store.ts does: otherwise logins of one account from
// one address would wait for each other in a circle.
export const flush: Statement = {
  name: 'payload_flush',
  text: `
    with gone as (
      delete from oidc_payload p using unnest($1::text[], $2::text[], $3::boolean[]) as d(model, id, required)
       where p.model = d.model and p.id = d.id returning d.model, d.id, d.required, p.uid, p.payload
    ), replaced as (
      update oidc_payload p set uid = null, expires_at = least(p.expires_at, now() + interval '${replacedSessionSeconds} seconds')
        from (select id, uid, payload from oidc_payload where model = 'Session' and id = any($28::text[]) for update skip locked) o
       where p.model = 'Session' and p.id = o.id returning o.uid, o.payload
    ), complete as (
      select (select count(*) from gone where required) >= (select count(*) from unnest($3::boolean[]) as r(required) where required) as yes
    ), revoked as (
      delete from oidc_payload p using unnest($4::text[], $5::text[]) as d(model, grant_id)
       where p.grant_id = d.grant_id and p.model = d.model
    ), twins as (
      delete from oidc_payload p using unnest($7::text[], $10::text[]) as n(id, uid), complete
       where complete.yes and p.uid = n.uid and p.id <> n.id and p.id <> all($28::text[]) returning p.uid, p.payload
    ), earlier as (
      select uid, payload from gone where uid is not null union all select uid, payload from twins
       union all select uid, payload from replaced where uid is not null
    ), stored as (
      insert into oidc_payload as p (model, id, payload, grant_id, uid, client_id, account_id, session_uid, expires_at)
      select n.model, n.id, case when n.uid is null then n.payload else merged_session((select e.payload from earlier e where e.uid = n.uid limit 1), n.payload) end,
             n.grant_id, n.uid, n.client_id, n.account_id, n.session_uid, to_timestamp(n.expires_at)
        from unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::uuid[], $13::text[], $14::float8[])
          as n(model, id, payload, grant_id, uid, client_id, account_id, session_uid, expires_at), complete
       where complete.yes
      on conflict (model, id) do update
        set payload = case when excluded.uid is null then excluded.payload else merged_session(p.payload, excluded.payload) end, grant_id = excluded.grant_id, uid = excluded.uid, client_id = excluded.client_id,
            account_id = excluded.account_id, session_uid = excluded.session_uid, expires_at = excluded.expires_at
    ), audited as (
      insert into audit_event (event, user_id, client_id, ip, details)
      select a.event, a.user_id, a.client_id, a.ip, a.details
        from unnest($15::text[], $16::uuid[], $17::text[], $18::text[], $19::text[]) as a(event, user_id, client_id, ip, details), complete
       where complete.yes
    ), clients as (
      insert into oauth_client (client_id, metadata, secret_sealed, origin)
      select c.client_id, c.metadata, c.secret_sealed, 'registration'
        from unnest($22::text[], $23::text[], $24::text[]) as c(client_id, metadata, secret_sealed), complete where complete.yes
      on conflict (client_id) do update set metadata = excluded.metadata, secret_sealed = excluded.secret_sealed
    ), removed as (
      delete from oauth_client where client_id = any($25::text[]) and (select yes from complete)
    ), removed_payloads as (
      delete from oidc_payload where client_id = any($25::text[]) and (select yes from complete)
         and (model, id) not in (select model, id from gone)
    ), used as (
      update oauth_client set used_at = now()
       where client_id = any($26::text[]) and (used_at is null or used_at < now() - interval '1 day')
    ), windows as (
      select key from attempt_window where key = any($20::text[] || $21::text[]) order by key for update
    ), cleared as (
      delete from attempt_window w using windows where w.key = windows.key and w.key = any($20::text[])
    ), refunded as (
      update attempt_window w set attempts = greatest(attempts - 1, 0) from windows where w.key = windows.key and w.key = any($21::text[])
    )
    select yes as complete, set_config('synchronous_commit', case when $27::boolean then current_setting('synchronous_commit') else 'off' end, true) as durability from complete`,
};

// Of two proofs or assertions with the same id, the second finds the row.
export const insertOnce: Statement = {
  name: 'payload_insert_once',
  text: `insert into oidc_payload as p (model, id, payload, expires_at) values ($1, $2, $3, to_timestamp($4::float8))
         on conflict (model, id) do update set payload = excluded.payload, expires_at = excluded.expires_at
          where p.expires_at <= now()`,
};

export const deleteExpired: Statement = {
  name: 'payload_delete_expired',
  text: `delete from oidc_payload where ctid = any(array(
           select ctid from oidc_payload where expires_at < now() order by expires_at limit $1 for update skip locked))`,
};
