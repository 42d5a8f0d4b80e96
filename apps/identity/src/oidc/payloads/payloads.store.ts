import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement, type Tx } from '@tradewind/service-kit';
import { batchedReads } from '../../batched-reads.js';
import { clientColumn, ClientRecords, type KnownClient, type StoredClient } from '../../clients/client-records.js';
import type { FoundPayload, PayloadRecord } from '../../unit-of-work/unit-of-work.js';
import { userColumn, type User } from '../../users/users.types.js';

/** A payload with the grant, client, user and session it belongs to: the provider asks for them next. */
export interface PayloadWithRelations extends FoundPayload {
  model: string;
  id: string;
  grantId: string | null;
  grant: string | null;
  clientId: string | null;
  client: KnownClient | null;
  accountId: string | null;
  user: User | null;
  sessionUid: string | null;
  sessionId: string | null;
  session: string | null;
}

/** What ends with a grant, for SQL. */
export const modelsOfGrant = `'AccessToken', 'RefreshToken', 'RefreshSuccessor', 'AuthorizationCode', 'Grant'`;

/** The model of the mark; its id is that of the session. */
export const endedSession = 'EndedSession';

type Row = Omit<PayloadWithRelations, 'client'> & { client: StoredClient | null };

// An expired row counts as deleted before the clean-up deletes it. So does a row that was made with earlier credentials
// of its user, or for a deleted user. A request that was in progress may have stored it after the others were deleted.
// A session that has ended is marked, and whatever a request in progress has stored of it since is worthless, too.
export const isCurrent = (alias: string): string =>
  `${alias}.expires_at > now() and coalesce(${alias}.credentials_version = u.credentials_version, ${alias}.credentials_version is null)
   and (${alias}.session_uid is null
        or not exists (select from oidc_payload e where e.model = '${endedSession}' and e.id = ${alias}.session_uid))`;

/** @param client for a session: the client that asks, if it is known */
const withRelations = (grantId = 'p.grant_id', client = 'p.client_id'): string => `
  select p.model, p.id, p.uid, p.payload, extract(epoch from p.consumed_at)::int as "consumedAtSeconds",
         ${grantId} as "grantId", g.payload as grant, ${client} as "clientId", ${clientColumn('c')} as client,
         p.account_id as "accountId", ${userColumn('u')} as user,
         case when p.model <> 'Session' then p.session_uid end as "sessionUid", s.id as "sessionId", s.payload as session
    from oidc_payload p
    left join user_account u on u.id = p.account_id
    left join oidc_payload g on g.model = 'Grant' and g.id = ${grantId} and p.model <> 'Grant' and ${isCurrent('g')}
    left join oauth_client c on c.client_id = ${client}
    left join oidc_payload s on s.uid = p.session_uid and s.model = 'Session' and p.model <> 'Session' and ${isCurrent('s')}`;

const findByIds: NamedStatement = {
  name: 'payload_find',
  text: `${withRelations()} where p.model = $1 and p.id = any($2::text[]) and ${isCurrent('p')}`,
};
const findByUid: NamedStatement = {
  name: 'payload_find_by_uid',
  text: `${withRelations()} where p.model = $1 and p.uid = $2 and ${isCurrent('p')}`,
};
// A session belongs to no single client. Its payload names the grant of the client that asks.
const askingClient = `coalesce(p.client_id, case when p.model = 'Session' then $3::text end)`;
const grantOfAskingClient = `coalesce(p.grant_id,
  case when p.model = 'Session' then p.payload::json #>> array['authorizations', $3::text, 'grantId'] end)`;
const findForAuthorization: NamedStatement = {
  name: 'payload_find_for_authorization',
  text: `${withRelations(grantOfAskingClient, askingClient)}
    where ${isCurrent('p')}
      and ((p.model = 'Session' and p.id = $1) or (p.model = 'Interaction' and p.id = $2))`,
};
// The condition on consumed_at lets exactly one use win, whatever the number of replicas.
const consume: NamedStatement = {
  name: 'payload_consume',
  text: `update oidc_payload set consumed_at = now()
          where model = $1 and id = $2 and consumed_at is null and expires_at > now()`,
};
const revokeGrant: NamedStatement = {
  name: 'payload_revoke_grant',
  text: `delete from oidc_payload
          where grant_id = $1 and model in (${modelsOfGrant})`,
};
// Of two proofs or assertions with the same id, the second finds the row.
const insertOnce: NamedStatement = {
  name: 'payload_insert_once',
  text: `insert into oidc_payload as p (model, id, payload, expires_at) values ($1, $2, $3, now() + make_interval(secs => $4))
         on conflict (model, id) do update set payload = excluded.payload, expires_at = excluded.expires_at
          where p.expires_at <= now()`,
};
const deleteExpired: NamedStatement = {
  name: 'payload_delete_expired',
  text: `delete from oidc_payload where ctid = any(array(
           select ctid from oidc_payload where expires_at < now() order by expires_at limit $1 for update skip locked))`,
};

/** The table oidc_payload, except what a request writes (unit-of-work/unit-of-work.store.ts). */
@Injectable()
export class PayloadsStore {
  private readonly reads = new Map<string, ReturnType<typeof batchedReads<Row>>>();

  constructor(
    private readonly db: Db,
    private readonly clients: ClientRecords,
  ) {}

  async find(model: string, id: string): Promise<PayloadWithRelations | undefined> {
    let reads = this.reads.get(model);
    if (!reads) {
      reads = batchedReads(async (ids) => {
        const rows = await this.db.rows<Row>(findByIds, [model, ids]);
        return new Map(rows.map((row) => [row.id, row]));
      });
      this.reads.set(model, reads);
    }
    const row = await reads.load(id);
    return row && this.opened(row);
  }

  async findByUid(model: string, uid: string): Promise<PayloadWithRelations | undefined> {
    const [row] = await this.db.rows<Row>(findByUid, [model, uid]);
    return row && this.opened(row);
  }

  /**
   * Session and interaction of an authorization request, each with its relations. The session also
   * brings the client that asks, and what the user granted it.
   */
  async findForAuthorization(sessionId: string | null, interactionId: string | null, clientId: string | null) {
    const rows = await this.db.rows<Row>(findForAuthorization, [sessionId, interactionId, clientId]);
    const found = rows.map((row) => this.opened(row));
    return {
      session: found.find(({ model }) => model === 'Session'),
      interaction: found.find(({ model }) => model === 'Interaction'),
    };
  }

  /** True for the one caller that consumed the row. */
  async consume(model: string, id: string): Promise<boolean> {
    return (await this.db.affected(consume, [model, id])) === 1;
  }

  /** True for the one caller that stored it; false while the row exists. */
  async insertOnce(record: PayloadRecord): Promise<boolean> {
    const values = [record.model, record.id, record.payload, record.expiresInSeconds];
    return (await this.db.affected(insertOnce, values)) === 1;
  }

  /** The number of rows that were deleted. */
  async revokeGrant(tx: Tx, grantId: string): Promise<number> {
    return tx.affected(revokeGrant, [grantId]);
  }

  /** Deletes at most `limit` expired rows, oldest first; it skips rows that another replica is deleting. */
  async deleteExpired(limit: number): Promise<number> {
    return this.db.affected(deleteExpired, [limit]);
  }

  private opened(row: Row): PayloadWithRelations {
    return { ...row, client: row.client && this.clients.open(row.client) };
  }
}
