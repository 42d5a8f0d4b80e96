import { Injectable } from '@nestjs/common';
import type { AuditRecord } from '../unit-of-work/unit-of-work.js';
import { PreparedStatements, type Statement } from '../prepared-statements.js';

export interface AuditEvent {
  id: string;
  at: Date;
  event: string;
  userId: string | null;
  clientId: string | null;
  ip: string | null;
  details: Record<string, unknown>;
}

export interface AuditFilter {
  userId?: string | undefined;
  clientId?: string | undefined;
  event?: string | undefined;
  since?: Date | undefined;
  limit: number;
}

interface AuditRow extends Record<string, unknown> {
  id: string;
  at: Date;
  event: string;
  user_id: string | null;
  client_id: string | null;
  ip: string | null;
  details: string;
}

const insert: Statement = {
  name: 'audit_insert',
  text: 'insert into audit_event (event, user_id, client_id, ip, details) values ($1, $2, $3, $4, $5)',
};
const list: Statement = {
  name: 'audit_list',
  text: `select id, at, event, user_id, client_id, ip, details from audit_event
          where ($1::uuid is null or user_id = $1) and ($2::text is null or client_id = $2)
            and ($3::text is null or event = $3) and ($4::timestamptz is null or at >= $4)
          order by id desc limit $5`,
};
const deleteOld: Statement = {
  name: 'audit_delete_old',
  text: `delete from audit_event where id = any(array(
           select id from audit_event where at < now() - make_interval(days => $1::int) order by at limit $2 for update skip locked))`,
};

@Injectable()
export class AuditStore {
  constructor(private readonly statements: PreparedStatements) {}

  async insert({ event, userId, clientId, ip, details }: AuditRecord): Promise<void> {
    await this.statements.run(insert, [
      event,
      userId ?? null,
      clientId ?? null,
      ip ?? null,
      JSON.stringify(details ?? {}),
    ]);
  }

  /** Newest first. */
  async list({ userId, clientId, event, since, limit }: AuditFilter): Promise<AuditEvent[]> {
    const values = [userId ?? null, clientId ?? null, event ?? null, since ?? null, limit];
    const { rows } = await this.statements.run<AuditRow>(list, values);
    return rows.map((row) => ({
      id: row.id,
      at: row.at,
      event: row.event,
      userId: row.user_id,
      clientId: row.client_id,
      ip: row.ip,
      details: JSON.parse(row.details) as Record<string, unknown>,
    }));
  }

  async deleteOlderThan(days: number, limit: number): Promise<number> {
    return (await this.statements.run(deleteOld, [days, limit])).rowCount ?? 0;
  }
}
