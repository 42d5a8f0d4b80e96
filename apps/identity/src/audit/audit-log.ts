// Who did what and when: an append-only table. An audited act and its audit row exist together or not at all. Inside a
// request both are part of its single write; elsewhere they share a transaction.
import { Injectable } from '@nestjs/common';
import { Db, type Tx } from '@tradewind/service-kit';
import { AppEvents } from '../events.js';
import { unitOfWork, type AuditRecord } from '../unit-of-work/unit-of-work.js';
import { AuditStore } from './audit.store.js';

/** Of a change the log says who made it: `sub` of a user, client id, name of a service token, or `operator`. */
export type ChangeRecord = AuditRecord & { details: { by: string | null } };

@Injectable()
export class AuditLog {
  constructor(
    private readonly db: Db,
    private readonly store: AuditStore,
    private readonly events: AppEvents,
  ) {}

  /** Adds the event to the unit of work of the request. */
  record(event: AuditRecord): void {
    const unit = unitOfWork();
    const withIp = { ip: unit.ip, ...event };
    unit.audits.push(withIp);
    unit.afterwards.push(() => this.emit(withIp));
  }

  /**
   * Makes a change and its audit row in one transaction. True when there was something to change.
   * @param change returns its event, or undefined when it changed nothing; it may run again after a lost race
   */
  async recordChange(change: (tx: Tx) => Promise<ChangeRecord | undefined>): Promise<boolean> {
    const event = await this.db.transaction(async (tx) => {
      const made = await change(tx);
      if (made) await this.store.insert(tx, made);
      return made;
    });
    if (event) this.emit(event);
    return event !== undefined;
  }

  private emit({ event, userId, clientId, ip, details }: AuditRecord): void {
    this.events.emit('audited', { kind: event, user_id: userId, client_id: clientId, ip, ...details });
  }
}
