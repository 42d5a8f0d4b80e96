// All SQL on the append-only audit log.
import { Injectable } from '@nestjs/common';
import { DataSource } from 'typeorm';
import type { AuditEntry, AuditOutcome } from './api-keys.types.js';

interface Row {
  at: Date;
  outcome: AuditOutcome;
  key_id: string | null;
  key_prefix: string | null;
  user_id: string | null;
  ip: string | null;
  operation_name: string | null;
}

@Injectable()
export class AuditLogStore {
  constructor(private readonly dataSource: DataSource) {}

  /** Appends all entries in one statement, in their order. */
  async append(entries: readonly AuditEntry[]): Promise<void> {
    await this.dataSource.query(
      `insert into api_key_audit (at, outcome, key_id, key_prefix, user_id, ip, operation_name)
       select * from unnest($1::timestamptz[], $2::text[], $3::uuid[], $4::text[], $5::uuid[], $6::text[], $7::text[])`,
      [
        entries.map((entry) => entry.at),
        entries.map((entry) => entry.outcome),
        entries.map((entry) => entry.keyId),
        entries.map((entry) => entry.keyPrefix),
        entries.map((entry) => entry.userId),
        entries.map((entry) => entry.ip),
        entries.map((entry) => entry.operationName),
      ],
    );
  }

  /** The last entries of a key, oldest first by when they happened: batches of entries may be written in another order. */
  async listOfKey(keyId: string, limit: number): Promise<AuditEntry[]> {
    const rows: Row[] = await this.dataSource.query(
      'select * from (select * from api_key_audit where key_id = $1 order by at desc, id desc limit $2) last order by at, id',
      [keyId, limit],
    );
    return rows.map((row) => ({
      at: row.at,
      outcome: row.outcome,
      keyId: row.key_id,
      keyPrefix: row.key_prefix,
      userId: row.user_id,
      ip: row.ip,
      operationName: row.operation_name,
    }));
  }
}
