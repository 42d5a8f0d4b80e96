// Who did what and when: an append-only table. Inside a request the event is part of the request's single write, so an
// audited act and its audit row exist together or not at all.
import { Injectable } from '@nestjs/common';
import { AppEvents } from '../events.js';
import { currentUnitOfWork, type AuditRecord } from '../unit-of-work/unit-of-work.js';
import { AuditStore } from './audit.store.js';

@Injectable()
export class AuditLog {
  constructor(
    private readonly store: AuditStore,
    private readonly events: AppEvents,
  ) {}

  async record(event: AuditRecord): Promise<void> {
    const unit = currentUnitOfWork();
    if (unit) {
      const withIp = { ip: unit.ip, ...event };
      unit.audits.push(withIp);
      unit.afterwards.push(() => this.emit(withIp));
      return;
    }
    await this.store.insert(event);
    this.emit(event);
  }

  private emit({ event, userId, clientId, ip, details }: AuditRecord): void {
    this.events.emit('audited', { kind: event, user_id: userId, client_id: clientId, ip, ...details });
  }
}
