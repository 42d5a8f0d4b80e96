// One statement, round trip and transaction for all writes of a request. It consists only of the parts that the request
// needs. PostgreSQL opens every table and index that a statement names, even if there is no row to write. Parts that
// write the same row within one statement would race, so UnitOfWork keeps one write per key.
import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement } from '@tradewind/service-kit';
import { retry } from '@tradewind/shared-types';
import { payloadKey, type PayloadRecord, type UnitOfWork } from './unit-of-work.js';

/** Longer than a request takes, but too short for anyone to exploit a key that was left behind. */
const replacedSessionSeconds = 10;

/** A person can simply begin again when these are lost. */
const transient = new Set(['Interaction', 'Session', 'AuthorizationCode']);

@Injectable()
export class UnitOfWorkStore {
  constructor(private readonly db: Db) {}

  /**
   * Stores everything that the unit collected in one statement, then runs its `afterwards`. False when a row that
   * the unit requires was gone: then nothing is stored.
   */
  async commit(unit: UnitOfWork): Promise<boolean> {
    if (!unit.isEmpty) {
      const { statement, values } = writeStatement(unit);
      const write = () => this.db.rows<{ complete: boolean }>(statement, values);
      const [row] = await retry(write, { attempts: 15, backoffMsMin: 5, backoffMsMax: 75, isRetryable: hasTwin });
      if (row?.complete !== true) return false;
    }
    for (const act of unit.afterwards) act();
    return true;
  }
}

/**
 * Whether two tabs of one browser replaced their session at the same moment. The later one runs again on what the other
 * left. No other unique key is written concurrently.
 */
function hasTwin(error: unknown): boolean {
  const { code, constraint } = error as { code?: unknown; constraint?: unknown };
  return code === '23505' && constraint === 'oidc_payload_uid';
}

/** Adds the values of a column and returns its parameter. */
type Bind = (type: string, values: readonly unknown[]) => string;

function writeStatement(unit: UnitOfWork): { statement: NamedStatement; values: unknown[] } {
  const values: unknown[] = [];
  const bind: Bind = (type, column) => `$${values.push(column)}::${type}[]`;
  const removals = removalsOf(unit);
  const parts = [
    ...payloadParts(unit, removals, bind),
    ...auditParts(unit, bind),
    ...logoutCallParts(unit, bind),
    ...clientParts(unit, removals, bind),
    ...grantParts(unit, bind),
    ...attemptParts(unit, bind),
  ];
  const isDurable = mustSurviveCrash(unit);
  const durability = isDurable ? '' : `, set_config('synchronous_commit', 'off', true)`;
  const text = `with ${parts.join(', ')} select yes as complete${durability} from complete`;
  const name = `request_writes_${statements.size}${isDurable ? '' : '_relaxed'}`;
  const statement = statements.get(text) ?? { name, text };
  statements.set(text, statement);
  return { statement, values };
}

/** The same parts make the same text, so there are few statements. */
const statements = new Map<string, NamedStatement>();

interface Removals {
  deletes: { model: string; id: string; required: boolean }[];
  /** Sessions that are stored again under another key. */
  replaced: { id: string }[];
}

function removalsOf({ upserts, deletes }: UnitOfWork): Removals {
  const gone = [...deletes.values()].filter(({ model, id }) => !upserts.has(payloadKey(model, id)));
  const storesSession = [...upserts.values()].some(({ model }) => model === 'Session');
  const isReplaced = ({ model }: { model: string }) => model === 'Session' && storesSession;
  return { deletes: gone.filter((one) => !isReplaced(one)), replaced: gone.filter(isReplaced) };
}

function payloadParts(unit: UnitOfWork, { deletes, replaced }: Removals, bind: Bind): string[] {
  const parts: string[] = [];
  const conditions: string[] = [];
  if (deletes.length > 0) {
    const required = bind('boolean', column(deletes, 'required'));
    parts.push(`gone as (
        delete from oidc_payload p
         using unnest(${bind('text', column(deletes, 'model'))}, ${bind('text', column(deletes, 'id'))}, ${required}) as d(model, id, required)
         where p.model = d.model and p.id = d.id returning d.model, d.id, d.required, p.uid, p.payload)`);
    conditions.push(
      `(select count(*) from gone where required) >= (select count(*) from unnest(${required}) as r(required) where required)`,
    );
  }
  const consumptions = [...unit.consumptions.values()];
  if (consumptions.length > 0) {
    // The condition on consumed_at lets exactly one redemption win, whatever the number of replicas.
    const ids = bind('text', column(consumptions, 'id'));
    parts.push(`consumed as (
        update oidc_payload p set consumed_at = now() from unnest(${bind('text', column(consumptions, 'model'))}, ${ids}) as c(model, id)
         where p.model = c.model and p.id = c.id and p.consumed_at is null returning p.id)`);
    conditions.push(`(select count(*) from consumed) >= cardinality(${ids})`);
  }
  if (unit.keptGrants.size > 0) {
    // The lock waits for a revocation in progress, and makes a later one wait.
    const ids = bind('text', [...unit.keptGrants]);
    parts.push(`kept as (select id from oidc_payload where model = 'Grant' and id = any(${ids}) for update)`);
    conditions.push(`(select count(*) from kept) >= cardinality(${ids})`);
  }
  // Everything below happens only if every required row existed. Of two requests that resolve the same interaction or
  // redeem the same code, the second stores nothing.
  parts.push(`complete as (select ${conditions.join(' and ') || 'true'} as yes)`);

  const revoked = [...unit.revokedGrants.values()];
  if (revoked.length > 0) {
    parts.push(`revoked as (
        delete from oidc_payload p using unnest(${bind('text', column(revoked, 'model'))}, ${bind('text', column(revoked, 'grantId'))}) as d(model, grant_id), complete
         where complete.yes and p.grant_id = d.grant_id and p.model = d.model)`);
  }
  const upserts = [...unit.upserts.values()];
  if (upserts.length > 0) parts.push(storedParts(unit, upserts, { deletes, replaced }, bind));
  return parts;
}

// A session gets a new key at every step, and tabs of one browser take steps at the same time. The later one replaces
// the session of the other (`twins`, `earlier`) and keeps its grants. A request with the previous key still finds the
// session for a moment (`replaced`), without its uid and as it was then.
function storedParts(unit: UnitOfWork, upserts: PayloadRecord[], { deletes, replaced }: Removals, bind: Bind): string {
  const list = (type: string, value: (record: PayloadRecord) => unknown) => bind(type, upserts.map(value));
  const rows = {
    model: list('text', (one) => one.model),
    id: list('text', (one) => one.id),
    payload: list('text', (one) => one.payload),
    uid: list('text', (one) => one.uid ?? null),
    grant_id: list('text', (one) => one.grantId ?? null),
    client_id: list('text', (one) => one.clientId ?? null),
    account_id: list('uuid', (one) => one.accountId ?? null),
    // As this request read the user: if the user's version is higher by now, the row is worthless.
    credentials_version: list('int', ({ accountId }) =>
      accountId === undefined ? null : (unit.users.get(accountId)?.credentialsVersion ?? null),
    ),
    session_uid: list('text', (one) => one.sessionUid ?? null),
    expires_in: list('float8', (one) => one.expiresInSeconds),
  };
  const relations = ['uid', 'grant_id', 'client_id', 'account_id', 'credentials_version', 'session_uid'];
  const stored = (payload: string, replacement: string): string => `stored as (
        insert into oidc_payload as p (model, id, payload, ${relations.join(', ')}, expires_at)
        select model, id, ${payload}, ${relations.join(', ')}, now() + make_interval(secs => expires_in)
          from unnest(${Object.values(rows).join(', ')}) as n(${Object.keys(rows).join(', ')}), complete where complete.yes
        on conflict (model, id) do update
          set payload = ${replacement}, ${relations.map((name) => `${name} = excluded.${name}`).join(', ')}, expires_at = excluded.expires_at)`;
  if (upserts.every(({ uid }) => uid === undefined)) return stored('payload', 'excluded.payload');

  const replacedIds = bind('text', column(replaced, 'id'));
  const earlier = deletes.length > 0 ? 'select uid, payload from gone where uid is not null union all' : '';
  return `replaced as (
        update oidc_payload p set uid = null, expires_at = least(p.expires_at, now() + interval '${replacedSessionSeconds} seconds')
          from (select id, uid, payload from oidc_payload where model = 'Session' and id = any(${replacedIds}) for update skip locked) o, complete
         where complete.yes and p.model = 'Session' and p.id = o.id returning o.uid, o.payload
      ), twins as (
        delete from oidc_payload p using unnest(${rows.id}, ${rows.uid}) as n(id, uid), complete
         where complete.yes and p.uid = n.uid and p.id <> n.id and p.id <> all(${replacedIds}) returning p.uid, p.payload
      ), earlier as (
        ${earlier} select uid, payload from twins union all select uid, payload from replaced where uid is not null
      ), ${stored(
        'case when uid is null then payload else merged_session((select e.payload from earlier e where e.uid = n.uid limit 1), payload) end',
        'case when excluded.uid is null then excluded.payload else merged_session(p.payload, excluded.payload) end',
      )}`;
}

function auditParts({ audits }: UnitOfWork, bind: Bind): string[] {
  if (audits.length === 0) return [];
  const details = audits.map((one) => JSON.stringify(one.details ?? {}));
  const columns = [
    bind('text', column(audits, 'event')),
    bind('uuid', column(audits, 'userId')),
    bind('text', column(audits, 'clientId')),
    bind('text', column(audits, 'ip')),
    bind('text', details),
  ];
  return [
    `audited as (
        insert into audit_event (event, user_id, client_id, ip, details)
        select a.event, a.user_id, a.client_id, a.ip, a.details
          from unnest(${columns.join(', ')}) as a(event, user_id, client_id, ip, details), complete where complete.yes)`,
  ];
}

function clientParts(unit: UnitOfWork, { deletes }: Removals, bind: Bind): string[] {
  const parts: string[] = [];
  const clients = [...unit.clientUpserts.values()];
  if (clients.length > 0) {
    const metadata = clients.map((one) => JSON.stringify(one.metadata));
    const columns = [
      bind('text', column(clients, 'clientId')),
      bind('text', metadata),
      bind('text', column(clients, 'secretSealed')),
    ];
    parts.push(`clients as (
        insert into oauth_client (client_id, metadata, secret_sealed, origin)
        select c.client_id, c.metadata, c.secret_sealed, 'registration'
          from unnest(${columns.join(', ')}) as c(client_id, metadata, secret_sealed), complete where complete.yes
        on conflict (client_id) do update set metadata = excluded.metadata, secret_sealed = excluded.secret_sealed)`);
  }
  if (unit.clientRemovals.size > 0) {
    const ids = bind('text', [...unit.clientRemovals]);
    // A row that this statement deletes by its key must not be deleted by its client again.
    const others = deletes.length > 0 ? 'and (model, id) not in (select model, id from gone)' : '';
    parts.push(`removed as (
        delete from oauth_client where client_id = any(${ids}) and (select yes from complete)
      ), removed_payloads as (
        delete from oidc_payload where client_id = any(${ids}) and (select yes from complete) ${others})`);
  }
  if (unit.usedClients.size > 0) {
    parts.push(`used as (
        update oauth_client set used_at = now()
         where client_id = any(${bind('text', [...unit.usedClients])}) and (select yes from complete) and (used_at is null or used_at < now() - interval '1 day'))`);
  }
  return parts;
}

function logoutCallParts({ logoutCalls }: UnitOfWork, bind: Bind): string[] {
  if (logoutCalls.length === 0) return [];
  const columns = [
    bind('text', column(logoutCalls, 'clientId')),
    bind('uuid', column(logoutCalls, 'userId')),
    bind('text', column(logoutCalls, 'sid')),
  ];
  return [
    `calls as (
        insert into logout_call (client_id, user_id, sid)
        select l.client_id, l.user_id, l.sid from unnest(${columns.join(', ')}) as l(client_id, user_id, sid), complete where complete.yes)`,
  ];
}

function grantParts({ usedGrants }: UnitOfWork, bind: Bind): string[] {
  if (usedGrants.size === 0) return [];
  return [
    `used_grants as (
        update oidc_payload set used_at = now()
         where model = 'Grant' and id = any(${bind('text', [...usedGrants])}) and (select yes from complete))`,
  ];
}

// Attempt windows are locked in the order of their keys, as in attempts.store.ts: otherwise logins of one account from
// one address would deadlock.
function attemptParts({ clearedAttempts, refundedAttempts }: UnitOfWork, bind: Bind): string[] {
  if (clearedAttempts.length === 0 && refundedAttempts.length === 0) return [];
  const [cleared, refunded] = [bind('text', clearedAttempts), bind('text', refundedAttempts)];
  return [
    `windows as (
        select key from attempt_window where key = any(${cleared} || ${refunded}) and (select yes from complete) order by key for update
      ), cleared as (
        delete from attempt_window w using windows where w.key = windows.key and w.key = any(${cleared})
      ), refunded as (
        update attempt_window w set attempts = greatest(attempts - 1, 0) from windows where w.key = windows.key and w.key = any(${refunded}))`,
  ];
}

/**
 * Whether the commit waits for the disk. A crash of the database server may lose the last half second of unfinished
 * logins. It never loses a token, a consent, a registration, a revocation or an audit row.
 */
function mustSurviveCrash(unit: UnitOfWork): boolean {
  return !(
    [...unit.upserts.values(), ...unit.deletes.values()].every(({ model }) => transient.has(model)) &&
    unit.consumptions.size === 0 &&
    unit.revokedGrants.size === 0 &&
    unit.clientUpserts.size === 0 &&
    unit.clientRemovals.size === 0 &&
    unit.audits.length === 0 &&
    unit.logoutCalls.length === 0
  );
}

const column = <Row>(rows: readonly Row[], name: keyof Row): unknown[] => rows.map((row) => row[name] ?? null);
