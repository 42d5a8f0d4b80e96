// The SQL of the table oidc_payload, except what a request writes (unit-of-work/unit-of-work.sql.ts).
import type { NamedStatement } from '@tradewind/service-kit';
import { userColumns } from '../../users/users.types.js';

// An expired row counts as deleted before the clean-up deletes it. So does a row that was made with earlier credentials
// of its user, or for a deleted user: a request that was in progress may have stored it after the others were deleted.
const isCurrent = (alias: string): string =>
  `${alias}.expires_at > now() and coalesce(${alias}.credentials_version = u.credentials_version, ${alias}.credentials_version is null)`;

/** @param client for a session: the client that asks, if it is known */
const withRelations = (grantId = 'p.grant_id', client = 'p.client_id'): string => `
  select p.model, p.id, p.uid, p.payload, extract(epoch from p.consumed_at)::int as consumed_at,
         ${grantId} as grant_id, g.payload as grant_payload,
         ${client} as client_id, c.metadata as client_metadata, c.secret_sealed as client_secret, c.origin as client_origin, c.resources as client_resources,
         p.account_id, ${userColumns('u', 'user_')},
         p.session_uid, s.id as session_id, s.payload as session_payload
    from oidc_payload p
    left join user_account u on u.id = p.account_id
    left join oidc_payload g on g.model = 'Grant' and g.id = ${grantId} and p.model <> 'Grant' and ${isCurrent('g')}
    left join oauth_client c on c.client_id = ${client}
    left join oidc_payload s on s.uid = p.session_uid and s.model = 'Session' and ${isCurrent('s')}`;

export const findByIds: NamedStatement = {
  name: 'payload_find',
  text: `${withRelations()} where p.model = $1 and p.id = any($2::text[]) and ${isCurrent('p')}`,
};

export const findByUid: NamedStatement = {
  name: 'payload_find_by_uid',
  text: `${withRelations()} where p.model = $1 and p.uid = $2 and ${isCurrent('p')}`,
};

// A session belongs to no single client. Its payload names the grant of the client that asks.
const askingClient = `coalesce(p.client_id, case when p.model = 'Session' then $3::text end)`;
const grantOfAskingClient = `coalesce(p.grant_id,
  case when p.model = 'Session' then p.payload::json #>> array['authorizations', $3::text, 'grantId'] end)`;

/** Everything that a new or resumed authorization request needs, found by its two cookies and its client. */
export const findForAuthorization: NamedStatement = {
  name: 'payload_find_for_authorization',
  text: `${withRelations(grantOfAskingClient, askingClient)}
    where ${isCurrent('p')}
      and ((p.model = 'Session' and p.id = $1) or (p.model = 'Interaction' and p.id = $2))`,
};

// The condition on consumed_at lets exactly one use win, whatever the number of replicas.
export const consume: NamedStatement = {
  name: 'payload_consume',
  text: `update oidc_payload set consumed_at = now()
          where model = $1 and id = $2 and consumed_at is null and expires_at > now()`,
};

export const revokeGrant: NamedStatement = {
  name: 'payload_revoke_grant',
  text: `delete from oidc_payload
          where grant_id = $1 and model in ('AccessToken', 'RefreshToken', 'RefreshSuccessor', 'AuthorizationCode', 'Grant')`,
};

export const revokeUser: NamedStatement = {
  name: 'payload_revoke_user',
  text: 'delete from oidc_payload where account_id = $1',
};

// Of two proofs or assertions with the same id, the second finds the row.
export const insertOnce: NamedStatement = {
  name: 'payload_insert_once',
  text: `insert into oidc_payload as p (model, id, payload, expires_at) values ($1, $2, $3, to_timestamp($4::float8))
         on conflict (model, id) do update set payload = excluded.payload, expires_at = excluded.expires_at
          where p.expires_at <= now()`,
};

export const deleteExpired: NamedStatement = {
  name: 'payload_delete_expired',
  text: `delete from oidc_payload where ctid = any(array(
           select ctid from oidc_payload where expires_at < now() order by expires_at limit $1 for update skip locked))`,
};
