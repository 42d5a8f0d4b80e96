import { Injectable } from '@nestjs/common';
import type { Tx } from '@tradewind/service-kit';
import { batchedReads } from '../../batched-reads.js';
import { Statements } from '../../statements.js';
import { userFromRow, type User } from '../../users/users.types.js';
import { ClientRecords } from '../../clients/client-records.js';
import type { ClientRights } from '../../clients/oauth-client.entity.js';
import {
  consume,
  deleteExpired,
  findByIds,
  findByUid,
  findForAuthorization,
  insertOnce,
  revokeGrant,
  revokeUser,
} from './payloads.sql.js';
import type { FoundPayload, PayloadRecord } from '../../unit-of-work/unit-of-work.js';

/** A payload with the grant, client, user and session it belongs to: the provider asks for them next. */
export interface PayloadWithRelations extends FoundPayload {
  id: string;
  grantId: string | null;
  grant: string | null;
  clientId: string | null;
  client: string | undefined;
  clientRights: ClientRights | undefined;
  accountId: string | null;
  user: User | undefined;
  sessionUid: string | null;
  session: { id: string; payload: string } | undefined;
}

interface RelationsRow {
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
  client_origin: ClientRights['origin'] | null;
  client_resources: string[] | null;
  account_id: string | null;
  session_uid: string | null;
  session_id: string | null;
  session_payload: string | null;
}

@Injectable()
export class PayloadsStore {
  private readonly reads = new Map<string, ReturnType<typeof batchedReads<RelationsRow>>>();

  constructor(
    private readonly statements: Statements,
    private readonly clients: ClientRecords,
  ) {}

  async find(model: string, id: string): Promise<PayloadWithRelations | undefined> {
    let reads = this.reads.get(model);
    if (!reads) {
      reads = batchedReads(async (ids) => {
        const rows = await this.statements.rows<RelationsRow>(findByIds, [model, ids]);
        return new Map(rows.map((row) => [row.id, row]));
      });
      this.reads.set(model, reads);
    }
    const row = await reads.load(id);
    return row && this.fromRow(row);
  }

  async findByUid(model: string, uid: string): Promise<PayloadWithRelations | undefined> {
    const [row] = await this.statements.rows<RelationsRow>(findByUid, [model, uid]);
    return row && this.fromRow(row);
  }

  /**
   * Session and interaction of an authorization request, each with its relations. The session also
   * brings the client that asks, and what the user granted it.
   */
  async findForAuthorization(sessionId: string | null, interactionId: string | null, clientId: string | null) {
    const rows = await this.statements.rows<RelationsRow>(findForAuthorization, [sessionId, interactionId, clientId]);
    const session = rows.find((row) => row.model === 'Session');
    const interaction = rows.find((row) => row.model === 'Interaction');
    return {
      session: session && this.fromRow(session),
      interaction: interaction && this.fromRow(interaction),
    };
  }

  /** True for the one caller that consumed the row. */
  async consume(model: string, id: string): Promise<boolean> {
    return (await this.statements.affected(consume, [model, id])) === 1;
  }

  /** True for the one caller that stored it; false while the row exists. */
  async insertOnce(record: PayloadRecord): Promise<boolean> {
    const values = [record.model, record.id, record.payload, record.expiresAtSeconds];
    return (await this.statements.affected(insertOnce, values)) === 1;
  }

  /** The number of rows that were deleted. */
  async revokeGrant(tx: Tx, grantId: string): Promise<number> {
    return tx.affected(revokeGrant, [grantId]);
  }

  /** Ends every session, grant, token and pending interaction of a user. */
  async revokeUser(tx: Tx, userId: string): Promise<number> {
    return tx.affected(revokeUser, [userId]);
  }

  /** Deletes at most `limit` expired rows, oldest first; it skips rows that another replica is deleting. */
  async deleteExpired(limit: number): Promise<number> {
    return this.statements.affected(deleteExpired, [limit]);
  }

  private fromRow(row: RelationsRow): PayloadWithRelations {
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
      clientRights:
        row.client_origin !== null && row.client_resources !== null
          ? { origin: row.client_origin, resources: row.client_resources }
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
