import { Injectable } from '@nestjs/common';
import { pageOf, positionAfter, toCursor, timeAndNumber } from '@tradewind/service-kit';
import type { AuditEvent } from '../audit/audit-event.entity.js';
import { AuditStore, type AuditEventOfList, type AuditFilter, type SignInsOfDay } from '../audit/audit.store.js';

/** Events that are read at once for an export, about 300 KB. */
const exportedAtOnce = 1_000;

/** What operators and administrators read of the audit log. */
@Injectable()
export class AuditEvents {
  constructor(private readonly store: AuditStore) {}

  /** Newest first. */
  async list(filter: AuditFilter, limit: number): Promise<AuditEvent[]> {
    const rows = await this.store.list(filter, { limit });
    return rows.map(({ micros: _micros, ...event }) => event);
  }

  /** Newest first. */
  async page(
    filter: AuditFilter,
    { limit, cursor }: { limit: number; cursor?: string | undefined },
  ): Promise<{ page: AuditEventOfList[]; next_cursor: string | null }> {
    const after = positionAfter(cursor, filter, timeAndNumber);
    const rows = await this.store.list(filter, { after, limit: limit + 1 });
    return pageOf(rows, limit, ({ micros, id }) => toCursor([micros, id], filter));
  }

  /** Of each of the last days, today last. */
  countSignIns(days: number): Promise<SignInsOfDay[]> {
    return this.store.countSignIns(days);
  }

  /** All that there are, newest first. They are read as they are taken. */
  async *all(filter: AuditFilter): AsyncGenerator<AuditEvent> {
    for (let last: AuditEventOfList | undefined; ;) {
      const after = last && { micros: last.micros, id: last.id };
      const rows = await this.store.list(filter, { after, limit: exportedAtOnce });
      yield* rows;
      last = rows.at(-1);
      if (rows.length < exportedAtOnce) return;
    }
  }
}
