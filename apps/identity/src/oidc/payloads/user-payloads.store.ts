// What one user has at the provider: sessions and the grants of applications, listed and ended. A session that ends is
// reported to the clients that registered for it (oidc/logout-calls.ts), in the same statement.
import { Injectable } from '@nestjs/common';
import { Db, microsOf, timeOf, type NamedStatement, type Tx, type ListPosition } from '@tradewind/service-kit';
import { endedSession, isCurrent, modelsOfGrant } from './payloads.store.js';

export interface UserSession {
  uid: string;
  payload: SessionPayload;
  expiresAt: Date;
}

/** A session with its position in the list. */
export type SessionOfList = UserSession & { micros: number };

/** What is read of the JSON of a session. */
export interface SessionPayload {
  loginTs?: number;
  address?: string;
  browser?: string;
  /** When it was last used, in seconds. */
  usedTs?: number;
}

/** All grants of one client. */
export interface UserApplication {
  clientId: string;
  /** JSON text; null when the client is gone. */
  metadata: string | null;
  isRegistered: boolean;
  /** The different scopes and resources of its grants, as JSON text. */
  scopes: (string | null)[];
  resources: (string | null)[];
  usedAt: Date;
}

/** What one client may do for one user. */
export interface Grant {
  id: string;
  userId: string;
  clientId: string;
  /** Scopes of OpenID Connect, separated by blanks. */
  scope: string | null;
  /** Scopes of each resource, separated by blanks. */
  resources: Record<string, string> | null;
  createdAt: Date;
  /** Of a token made with it; null: not since it was made. */
  usedAt: Date | null;
  expiresAt: Date;
}

/** A grant with its position in the list. */
export type GrantOfList = Grant & { micros: number };

export interface GrantFilter {
  userId?: string | undefined;
  clientId?: string | undefined;
  /** The company of the user. */
  companyId?: string | undefined;
}

export interface Page {
  offset: number;
  limit: number;
}

const callsOf = (authorizations: string): string => `
    insert into logout_call (client_id, user_id, sid)
    select c.client_id, $1::uuid, a.value ->> 'sid' from ${authorizations}
      join oauth_client c on c.client_id = a.key and c.metadata::json ->> 'backchannel_logout_uri' is not null`;

// Read through oidc_payload_of_user.
const sessions = `
  select p.uid, json_build_object('loginTs', p.payload::json -> 'loginTs', 'address', p.payload::json -> 'address',
                                  'browser', p.payload::json -> 'browser',
                                  'usedTs', p.payload::json -> 'usedTs') as payload,
         p.expires_at as "expiresAt", ${microsOf('p.expires_at')} as micros
    from oidc_payload p left join user_account u on u.id = p.account_id
   where p.account_id = $1 and p.model = 'Session' and p.uid is not null and ${isCurrent('p')}`;
const listSessionsAfter: NamedStatement = {
  name: 'user_sessions_after',
  text: `${sessions} and ($2::float8 is null or (p.expires_at, p.uid) < (${timeOf('$2')}, $3::text))
          order by p.expires_at desc, p.uid desc limit $4`,
};
const listSessions: NamedStatement = {
  name: 'user_sessions',
  text: `${sessions}
          order by p.expires_at desc, p.id limit $2 offset $3`,
};
const listApplications: NamedStatement = {
  name: 'user_applications',
  text: `with granted as (
           select p.client_id, array_agg(distinct (p.payload::json -> 'openid')::text) as scopes,
                  array_agg(distinct (p.payload::json -> 'resources')::text) as resources,
                  max(greatest(p.used_at, to_timestamp((p.payload::json ->> 'iat')::float8))) as used_at
             from oidc_payload p left join user_account u on u.id = p.account_id
            where p.account_id = $1 and p.model = 'Grant' and p.client_id <> $2 and ${isCurrent('p')}
            group by p.client_id
            order by used_at desc, p.client_id limit $3 offset $4
         )
         select g.client_id as "clientId", c.metadata, coalesce(c.origin = 'registration', true) as "isRegistered",
                g.scopes, g.resources, g.used_at as "usedAt"
           from granted g left join oauth_client c on c.client_id = g.client_id
          order by g.used_at desc, g.client_id`,
};
// The mark decides, not the deletion: a request in progress may be giving the session another key. Of two ends, the
// second finds the mark. Grants that outlive a session are those with offline_access.
const endSession: NamedStatement = {
  name: 'user_end_session',
  text: `with session as (
           select p.id, p.payload from oidc_payload p left join user_account u on u.id = p.account_id
            where p.model = 'Session' and p.uid = $2 and p.account_id = $1 and ${isCurrent('p')}
         ), marked as (
           insert into oidc_payload (model, id, payload, expires_at)
           select '${endedSession}', $2, '{}', now() + make_interval(secs => $3) from session
           on conflict do nothing returning id
         ), gone as (
           delete from oidc_payload p using session where p.model = 'Session' and p.id = session.id
         ), authorizations as (
           select a.key, a.value from marked, session, json_each(session.payload::json -> 'authorizations') a
         ), grants as (
           delete from oidc_payload p using authorizations a
            where p.grant_id = a.value ->> 'grantId' and a.value ->> 'persistsLogout' is null and p.model in (${modelsOfGrant})
         ), calls as (${callsOf('authorizations a')})
         select (session.payload::json ->> 'loginTs')::int as "loginTs" from marked, session`,
};
const currentGrants = `
  from oidc_payload p join user_account u on u.id = p.account_id
 where p.model = 'Grant' and p.client_id <> $1 and ${isCurrent('p')}`;
const lockGrant: NamedStatement = {
  name: 'user_grant_lock',
  text: `select p.account_id as "userId", p.client_id as "clientId" ${currentGrants}
            and p.id = $2 and ($3::text is null or u.company_id = $3) for update of p`,
};
const endApplication: NamedStatement = {
  name: 'user_end_application',
  text: 'delete from oidc_payload where account_id = $1 and client_id = $2',
};
const endUser: NamedStatement = {
  name: 'user_end_everything',
  text: `with ended as (
           delete from oidc_payload where account_id = $1 and ($2::text is null or uid is distinct from $2)
           returning model, uid, payload
         ), calls as (${callsOf(`ended e
      cross join lateral json_each(case when e.model = 'Session' and e.uid is not null then e.payload::json -> 'authorizations' end) a`)})
         select count(*)::int as count from ended`,
};
const keepSession: NamedStatement = {
  name: 'user_keep_session',
  text: `update oidc_payload p set id = $3, credentials_version = u.credentials_version
           from user_account u where u.id = $1 and p.account_id = u.id and p.model = 'Session' and p.uid = $2`,
};
// An update for each visit would only cost; nobody needs the minute.
const useSession: NamedStatement = {
  name: 'user_use_session',
  text: `update oidc_payload p
            set payload = (p.payload::jsonb || jsonb_strip_nulls(jsonb_build_object('usedTs', extract(epoch from now())::int, 'address', $2::text, 'browser', $3::text)))::text
          where p.model = 'Session' and p.uid = $1
            and ((p.payload::json ->> 'usedTs')::int > extract(epoch from now()) - 600 and p.payload::json ->> 'address' = $2) is not true`,
};

@Injectable()
export class UserPayloadsStore {
  constructor(private readonly db: Db) {}

  /** Those that last longest first: a login, and a sign-in at an application, prolongs a session. */
  async listSessions(userId: string, { limit, offset }: Page): Promise<UserSession[]> {
    return this.db.rows<UserSession>(listSessions, [userId, limit, offset]);
  }

  /** The same, from a position on. */
  async listSessionsAfter(
    userId: string,
    { after, limit }: { after?: ListPosition | undefined; limit: number },
  ): Promise<SessionOfList[]> {
    return this.db.rows<SessionOfList>(listSessionsAfter, [userId, after?.micros ?? null, after?.id ?? null, limit]);
  }

  /** Last used first. */
  async listApplications(userId: string, without: string, { limit, offset }: Page): Promise<UserApplication[]> {
    return this.db.rows<UserApplication>(listApplications, [userId, without, limit, offset]);
  }

  /** Those that last longest first, read through oidc_payload_of_user, _grants_of_client or _grants. */
  async listGrants(
    { userId, clientId, companyId }: GrantFilter,
    { without, after, limit }: { without: string; after?: ListPosition | undefined; limit: number },
  ): Promise<GrantOfList[]> {
    const values: unknown[] = [without];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const where = [
      ...(userId === undefined ? [] : [`p.account_id = ${bind(userId)}::uuid`]),
      ...(clientId === undefined ? [] : [`p.client_id = ${bind(clientId)}`]),
      ...(companyId === undefined ? [] : [`u.company_id = ${bind(companyId)}`]),
      ...(after ? [`(p.expires_at, p.id) < (${timeOf(bind(after.micros))}, ${bind(after.id)}::text)`] : []),
    ];
    return this.db.rows<GrantOfList>(
      `select p.id, p.account_id as "userId", p.client_id as "clientId", p.payload::json #>> '{openid,scope}' as scope,
              p.payload::json -> 'resources' as resources, p.used_at as "usedAt", p.expires_at as "expiresAt",
              to_timestamp((p.payload::json ->> 'iat')::float8) as "createdAt", ${microsOf('p.expires_at')} as micros
         ${[currentGrants, ...where].join(' and ')} order by p.expires_at desc, p.id desc limit ${limit}`,
      values,
    );
  }

  /** Whose grant it is; undefined when there is none, or none of this company. It is locked. */
  async lockGrant(
    tx: Tx,
    { id, without, companyId }: { id: string; without: string; companyId?: string | undefined },
  ): Promise<Pick<Grant, 'userId' | 'clientId'> | undefined> {
    return (await tx.rows<Pick<Grant, 'userId' | 'clientId'>>(lockGrant, [without, id, companyId ?? null]))[0];
  }

  /** Notes that a session is used, from where, and with which browser; at most every ten minutes from one address. */
  async useSession(uid: string, address: string | undefined, browser: string | undefined): Promise<void> {
    await this.db.affected(useSession, [uid, address ?? null, browser ?? null]);
  }

  /**
   * Ends one session of the user, as signing out does. Returns when it had begun, in seconds; undefined when the user
   * has no such session.
   */
  async endSession(
    tx: Tx,
    userId: string,
    uid: string,
    lifeSeconds: number,
  ): Promise<{ loginTs: number | null } | undefined> {
    return (await tx.rows<{ loginTs: number | null }>(endSession, [userId, uid, lifeSeconds]))[0];
  }

  /** Ends the grants of the client, with all tokens, codes and pending requests. The number of rows. */
  async endApplication(tx: Tx, userId: string, clientId: string): Promise<number> {
    return tx.affected(endApplication, [userId, clientId]);
  }

  /**
   * Ends every session, grant, token and pending interaction of a user; the number of rows. It is called after the user
   * has a new version of credentials, in the same transaction.
   * @param kept the one session that stays, and the id under which it is stored from now on
   */
  async endEverything(tx: Tx, userId: string, kept?: { uid: string; newId: string }): Promise<number> {
    if (kept !== undefined) await tx.affected(keepSession, [userId, kept.uid, kept.newId]);
    const [ended] = await tx.rows<{ count: number }>(endUser, [userId, kept?.uid ?? null]);
    return ended!.count;
  }
}
