import { Injectable } from '@nestjs/common';
import { Db, type NamedStatement, type Tx } from '@tradewind/service-kit';
import { MoreThanOrEqual } from 'typeorm';
import type { AuditRecord } from '../unit-of-work/unit-of-work.js';
import { AuditEvent } from './audit-event.entity.js';

export interface AuditFilter {
  userId?: string | undefined;
  clientId?: string | undefined;
  event?: string | undefined;
  since?: Date | undefined;
  limit: number;
}

const deleteOld: NamedStatement = {
  name: 'audit_delete_old',
  text: `delete from audit_event where id = any(array(
           select id from audit_event where at < now() - make_interval(days => $1::int) order by at limit $2 for update skip locked))`,
};

@Injectable()
export class AuditStore {
  constructor(private readonly db: Db) {}

  async insert(tx: Tx, { details = {}, ...event }: AuditRecord): Promise<void> {
    // TypeORM's types for partial entities refuse a record of unknown values.
    await tx.repository(AuditEvent).insert({ ...event, details: details as object });
  }

  /** Newest first. */
  async list({ userId, clientId, event, since, limit }: AuditFilter): Promise<AuditEvent[]> {
    return this.db.repository(AuditEvent).find({
      where: {
        ...(userId === undefined ? {} : { userId }),
        ...(clientId === undefined ? {} : { clientId }),
        ...(event === undefined ? {} : { event }),
        ...(since === undefined ? {} : { at: MoreThanOrEqual(since) }),
      },
      order: { id: 'DESC' },
      take: limit,
    });
  }

  async deleteOlderThan(days: number, limit: number): Promise<number> {
    return this.db.affected(deleteOld, [days, limit]);
  }
}
