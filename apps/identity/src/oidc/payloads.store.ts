import { Injectable } from '@nestjs/common';
import { BatchedLookup } from '../storage/batched-lookup.js';
import { PreparedStatements, type Statement } from '../storage/prepared-statements.js';
import { userColumns, userFromRow, type User } from '../users/users.types.js';
import { ClientRecords } from '../clients/client-records.js';
import { payloadKey, type FoundPayload, type PayloadRecord, type RequestUnit } from './request-unit.js';

/** A payload with everything the provider asks for right after it. */
export interface PayloadWithCompany extends FoundPayload {
  id: string;
  uid: string | null;
  grantId: string | null;
  grant: string | null;
  clientId: string | null;
  client: string | undefined;
  accountId: string | null;
  user: User | undefined;
  sessionUid: string | null;
  session: { id: string; payload: string } | undefined;
}

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

const findByIds: Statement = {
  name: 'payload_find',
  text: `${company} where p.model = $1 and p.id = any($2::text[]) and p.expires_at > now()`,
};

const findByUid: Statement = {
  name: 'payload_find_by_uid',
  text: `${company} where p.model = $1 and p.uid = $2 and p.expires_at > now()`,
};

/** Everything a resumed or new authorization request needs, found by its two cookies and its client, in one trip. */
const findForAuthorization: Statement = {
  name: 'payload_find_for_authorization',
  text: `${company}
    where p.expires_at > now()
      and ((p.model = 'Session' and p.id = $1) or (p.model = 'Interaction' and p.id = $2))`,
};

// The condition on consumed_at makes a single winner among any number of redemptions on any number of replicas.
const consume: Statement = {
  name: 'payload_consume',
  // Not flushed to disk by itself: the tokens that follow are, and with them everything before. Should the server crash in
  // between, no token was handed out, and the code is as good as before.
  text: `with relaxed as (select set_config('synchronous_commit', 'off', true) as value)
         update oidc_payload set consumed_at = now() from relaxed
          where model = $1 and id = $2 and consumed_at is null and expires_at > now() and relaxed.value is not null`,
};

const revokeGrant: Statement = {
  name: 'payload_revoke_grant',
  text: `delete from oidc_payload
          where grant_id = $1 and model in ('AccessToken', 'RefreshToken', 'AuthorizationCode', 'Grant')`,
};

const revokeUser: Statement = {
  name: 'payload_revoke_user',
  text: 'delete from oidc_payload where account_id = $1',
};

// One statement, one trip, one transaction for all writes of a request. The upserts happen only if every required
// delete found its row: of two requests that resolve the same interaction, the second stores nothing.
// Parts that touch the same row within one statement would race; RequestUnit keeps one write per key.
const flush: Statement = {
  name: 'payload_flush',
  text: `
    with gone as (
      delete from oidc_payload p using unnest($1::text[], $2::text[], $3::boolean[]) as d(model, id, required)
       where p.model = d.model and p.id = d.id returning d.model, d.id, d.required
    ), complete as (
      select (select count(*) from gone where required) >= (select count(*) from unnest($3::boolean[]) as r(required) where required) as yes
    ), revoked as (
      delete from oidc_payload p using unnest($4::text[], $5::text[]) as d(model, grant_id)
       where p.grant_id = d.grant_id and p.model = d.model
    ), stored as (
      insert into oidc_payload (model, id, payload, grant_id, uid, client_id, account_id, session_uid, expires_at)
      select n.model, n.id, n.payload, n.grant_id, n.uid, n.client_id, n.account_id, n.session_uid, to_timestamp(n.expires_at)
        from unnest($6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::uuid[], $13::text[], $14::float8[])
          as n(model, id, payload, grant_id, uid, client_id, account_id, session_uid, expires_at), complete
       where complete.yes
      on conflict (model, id) do update
        set payload = excluded.payload, grant_id = excluded.grant_id, uid = excluded.uid, client_id = excluded.client_id,
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
    ), cleared as (
      delete from attempt_window where key = any($20::text[])
    ), refunded as (
      update attempt_window set attempts = greatest(attempts - 1, 0) where key = any($21::text[])
    )
    select yes as complete, set_config('synchronous_commit', case when $27::boolean then current_setting('synchronous_commit') else 'off' end, true) as durability from complete`,
};

// Of two proofs or assertions with the same id, the second finds the row.
const insertOnce: Statement = {
  name: 'payload_insert_once',
  text: `insert into oidc_payload as p (model, id, payload, expires_at) values ($1, $2, $3, to_timestamp($4::float8))
         on conflict (model, id) do update set payload = excluded.payload, expires_at = excluded.expires_at
          where p.expires_at <= now()`,
};

const deleteExpired: Statement = {
  name: 'payload_delete_expired',
  text: `delete from oidc_payload where ctid = any(array(
           select ctid from oidc_payload where expires_at < now() order by expires_at limit $1 for update skip locked))`,
};

interface CompanyRow extends Record<string, unknown> {
  model: string;
  id: string;
  uid: string | null;
  payload: string;
  consumed_at: number | null;
  grant_id: string | null;
  grant_payload: string | null;
  client_id: string | null;
  client_metadata: string | null;
  client_secret: string | null;
  account_id: string | null;
  session_uid: string | null;
  session_id: string | null;
  session_payload: string | null;
}

@Injectable()
export class PayloadsStore {
  private readonly lookups = new Map<string, BatchedLookup<CompanyRow>>();

  constructor(
    private readonly statements: PreparedStatements,
    private readonly clients: ClientRecords,
  ) {}

  async find(model: string, id: string): Promise<PayloadWithCompany | undefined> {
    let lookup = this.lookups.get(model);
    if (!lookup) {
      lookup = new BatchedLookup(async (ids) => {
        const { rows } = await this.statements.run<CompanyRow>(findByIds, [model, ids]);
        return new Map(rows.map((row) => [row.id, row]));
      });
      this.lookups.set(model, lookup);
    }
    const row = await lookup.find(id);
    return row && this.fromRow(row);
  }

  async findByUid(model: string, uid: string): Promise<PayloadWithCompany | undefined> {
    const { rows } = await this.statements.run<CompanyRow>(findByUid, [model, uid]);
    return rows[0] && this.fromRow(rows[0]);
  }

  /** Session and interaction of an authorization request, each with its company; the result says which is which. */
  async findForAuthorization(sessionId: string | null, interactionId: string | null) {
    const { rows } = await this.statements.run<CompanyRow>(findForAuthorization, [sessionId, interactionId]);
    const session = rows.find((row) => row.model === 'Session');
    const interaction = rows.find((row) => row.model === 'Interaction');
    return {
      session: session && this.fromRow(session),
      interaction: interaction && this.fromRow(interaction),
    };
  }

  /** True for the one caller who consumed the row. */
  async consume(model: string, id: string): Promise<boolean> {
    return (await this.statements.run(consume, [model, id])).rowCount === 1;
  }

  /** True for the one caller who stored it; false while it is there. */
  async insertOnce(record: PayloadRecord): Promise<boolean> {
    const values = [record.model, record.id, record.payload, record.expiresAtSeconds];
    return (await this.statements.run(insertOnce, values)).rowCount === 1;
  }

  async revokeGrant(grantId: string): Promise<void> {
    await this.statements.run(revokeGrant, [grantId]);
  }

  /** Ends every session, grant, token and pending interaction of a user. */
  async revokeUser(userId: string): Promise<number> {
    return (await this.statements.run(revokeUser, [userId])).rowCount ?? 0;
  }

  /** Deletes at most `limit` expired rows, oldest first; rows that another replica is deleting are passed over. */
  async deleteExpired(limit: number): Promise<number> {
    return (await this.statements.run(deleteExpired, [limit])).rowCount ?? 0;
  }

  /** Stores all writes of a request; false when a required row was gone, and then nothing was stored. */
  async flush(unit: RequestUnit): Promise<boolean> {
    const deletes = [...unit.deletes.values()].filter(({ model, id }) => !unit.upserts.has(payloadKey(model, id)));
    const revoked = [...unit.revokedGrants.values()];
    const upserts = [...unit.upserts.values()];
    const clients = [...unit.clientUpserts.values()];
    const { rows } = await this.statements.run<{ complete: boolean }>(flush, [
      deletes.map((one) => one.model),
      deletes.map((one) => one.id),
      deletes.map((one) => one.required),
      revoked.map((one) => one.model),
      revoked.map((one) => one.grantId),
      upserts.map((one) => one.model),
      upserts.map((one) => one.id),
      upserts.map((one) => one.payload),
      upserts.map((one) => one.grantId ?? null),
      upserts.map((one) => one.uid ?? null),
      upserts.map((one) => one.clientId ?? null),
      upserts.map((one) => one.accountId ?? null),
      upserts.map((one) => one.sessionUid ?? null),
      upserts.map((one) => one.expiresAtSeconds),
      unit.audits.map((one) => one.event),
      unit.audits.map((one) => one.userId ?? null),
      unit.audits.map((one) => one.clientId ?? null),
      unit.audits.map((one) => one.ip ?? null),
      unit.audits.map((one) => JSON.stringify(one.details ?? {})),
      unit.clearedAttempts,
      unit.refundedAttempts,
      clients.map((one) => one.clientId),
      clients.map((one) => one.metadata),
      clients.map((one) => one.secretSealed),
      [...unit.clientRemovals],
      [...unit.usedClients],
      mustSurviveCrash(unit),
    ]);
    return rows[0]?.complete === true;
  }

  private fromRow(row: CompanyRow): PayloadWithCompany {
    return {
      id: row.id,
      uid: row.uid,
      payload: row.payload,
      consumedAtSeconds: row.consumed_at,
      grantId: row.grant_id,
      grant: row.grant_payload,
      clientId: row.client_id,
      client:
        row.client_id !== null && row.client_metadata !== null
          ? this.clients.toMetadata(row.client_id, row.client_metadata, row.client_secret)
          : undefined,
      accountId: row.account_id,
      user: userFromRow(row, 'user_'),
      sessionUid: row.session_uid,
      session:
        row.session_id !== null && row.session_payload !== null
          ? { id: row.session_id, payload: row.session_payload }
          : undefined,
    };
  }
}

/** What a person can simply begin again: the way to the code. */
const transient = new Set(['Interaction', 'Session', 'AuthorizationCode']);

/**
 * Whether the commit waits for the disk. A crash of the database server may take the last half second of logins under
 * way; never a token, a consent, a registration, a revocation or an audit row.
 */
function mustSurviveCrash(unit: RequestUnit): boolean {
  return !(
    [...unit.upserts.values(), ...unit.deletes.values()].every(({ model }) => transient.has(model)) &&
    unit.revokedGrants.size === 0 &&
    unit.clientUpserts.size === 0 &&
    unit.clientRemovals.size === 0 &&
    unit.audits.length === 0
  );
}
