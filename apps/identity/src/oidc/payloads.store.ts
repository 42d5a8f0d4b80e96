import { Injectable } from '@nestjs/common';
import { BatchedLookup } from '../storage/batched-lookup.js';
import { PreparedStatements } from '../storage/prepared-statements.js';
import { userFromRow, type User } from '../users/users.types.js';
import { ClientRecords } from '../clients/client-records.js';
import {
  consume,
  deleteExpired,
  findByIds,
  findByUid,
  findForAuthorization,
  flush,
  insertOnce,
  revokeGrant,
  revokeUser,
} from './payloads.sql.js';
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
    const revoked = [...unit.revokedGrants.values()];
    const upserts = [...unit.upserts.values()];
    // A session that is stored again under another key.
    const isReplaced = ({ model }: { model: string }) =>
      model === 'Session' && upserts.some((one) => one.model === 'Session');
    const gone = [...unit.deletes.values()].filter(({ model, id }) => !unit.upserts.has(payloadKey(model, id)));
    const deletes = gone.filter((one) => !isReplaced(one));
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
      gone.filter(isReplaced).map((one) => one.id),
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
