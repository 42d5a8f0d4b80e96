import { Injectable } from '@nestjs/common';
import { Db, microsOf, timeOf, type NamedStatement, type Tx, type ListPosition } from '@tradewind/service-kit';
import type { AuditRecord } from '../unit-of-work/unit-of-work.js';
import { AuditEvent } from './audit-event.entity.js';

export interface AuditFilter {
  userId?: string | undefined;
  clientId?: string | undefined;
  event?: string | undefined;
  since?: Date | undefined;
  /** Events before this time. */
  until?: Date | undefined;
}

export interface SignInsOfDay {
  /** `YYYY-MM-DD` */
  day: string;
  succeeded: number;
  failed: number;
}

/** An event with its position in the list. */
export type AuditEventOfList = AuditEvent & { micros: number };

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

  /** Newest first, read through audit_event_of_user, _of_client, _of_kind or _newest. */
  async list(
    { userId, clientId, event, since, until }: AuditFilter,
    { after, limit }: { after?: ListPosition | undefined; limit: number },
  ): Promise<AuditEventOfList[]> {
    const values: unknown[] = [];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const where = [
      'true',
      ...(userId === undefined ? [] : [`user_id = ${bind(userId)}::uuid`]),
      ...(clientId === undefined ? [] : [`client_id = ${bind(clientId)}`]),
      ...(event === undefined ? [] : [`event = ${bind(event)}`]),
      ...(since === undefined ? [] : [`at >= ${bind(since)}::timestamptz`]),
      ...(until === undefined ? [] : [`at < ${bind(until)}::timestamptz`]),
      ...(after ? [`(at, id) < (${timeOf(bind(after.micros))}, ${bind(after.id)}::bigint)`] : []),
    ];
    const rows = await this.db.rows<Omit<AuditEventOfList, 'details'> & { details: string }>(
      `select id, at, event, user_id as "userId", client_id as "clientId", ip, details, ${microsOf('at')} as micros
         from audit_event where ${where.join(' and ')} order by at desc, id desc limit ${limit}`,
      values,
    );
    // Events are stored as JSON objects.
    return rows.map((row) => ({ ...row, details: JSON.parse(row.details) as Record<string, unknown> }));
  }

  /**
   * Sign-ins of each of the last days (UTC), today last, on the pages and by direct login. Reads audit_event_of_kind
   * alone.
   */
  async countSignIns(days: number): Promise<SignInsOfDay[]> {
    return this.db.rows<SignInsOfDay>(
      `with day as (
         select date_trunc('day', now() at time zone 'UTC') - n * interval '1 day' as utc
         from generate_series(0, $1::int - 1) as n
       ), of_kind as (
         select utc, event, (
           select count(*)::int from audit_event
           where event = kind.event and at >= utc at time zone 'UTC' and at < (utc + interval '1 day') at time zone 'UTC'
         ) as count
         from day, (values ('login.succeeded'), ('login.failed')) as kind (event)
       )
       select to_char(utc, 'YYYY-MM-DD') as day, sum(count) filter (where event = 'login.succeeded')::int as succeeded,
         sum(count) filter (where event = 'login.failed')::int as failed
       from of_kind group by utc order by utc`,
      [days],
    );
  }

  async deleteOlderThan(days: number, limit: number): Promise<number> {
    return this.db.affected(deleteOld, [days, limit]);
  }
}
