// Refusals cost their sender nothing, so a row for each would let anybody fill the audit log. In each minute the first
// ten refusals of one kind, key and network get a row each; the others of that minute share one.
import { clientNetwork } from '@tradewind/service-kit';
import type { AuditEntry, AuditOutcome } from './audit-entry.entity.js';

export const ownRowsMax = 10;
const windowMs = 60_000;
/** Combinations of kind, key and network counted separately in one minute. All others share one row for each kind. */
const windowsMax = 500;

interface Window {
  endsAtMs: number;
  ownRows: number;
  /** The shared row; undefined until there is one. */
  shared: AuditEntry | undefined;
}

const summarized = new Set<AuditOutcome>(['refused_unknown', 'refused_revoked', 'refused_expired', 'rate_limited']);

export class RefusalSummary {
  private readonly windows = new Map<string, Window>();

  /** The entry if it gets a row of its own; undefined if it was added to a shared one. */
  add(entry: AuditEntry): AuditEntry | undefined {
    if (!summarized.has(entry.outcome)) return entry;
    const network = clientNetwork(entry.ip ?? undefined);
    const key = `${entry.outcome} ${entry.keyId ?? ''} ${network}`;
    let window = this.windows.get(key);
    if (!window && this.windows.size >= windowsMax) return this.addToOthers(entry);
    if (!window) this.windows.set(key, (window = newWindow(entry.at)));
    if (window.ownRows < ownRowsMax) {
      window.ownRows += 1;
      return entry;
    }
    this.share(window, { ...entry, ip: entry.ip === network ? entry.ip : network });
    return undefined;
  }

  /** The shared rows of minutes that are over. */
  takeEnded(now: Date): AuditEntry[] {
    return this.take((window) => window.endsAtMs <= now.getTime());
  }

  /** All shared rows, at the end of the process. */
  takeAll(): AuditEntry[] {
    return this.take(() => true);
  }

  private addToOthers(entry: AuditEntry): undefined {
    const key = `${entry.outcome} others`;
    let window = this.windows.get(key);
    if (!window) this.windows.set(key, (window = newWindow(entry.at)));
    this.share(window, { ...entry, keyId: null, userId: null, ip: null });
    return undefined;
  }

  private share(window: Window, entry: AuditEntry): void {
    const { shared } = window;
    if (!shared) {
      window.shared = entry;
      return;
    }
    shared.occurrences = occurrencesOf(shared) + occurrencesOf(entry);
    // Left out unless it is the same for all.
    if (shared.keyPrefix !== entry.keyPrefix) shared.keyPrefix = null;
    if (shared.operationName !== entry.operationName) shared.operationName = null;
  }

  private take(isOver: (window: Window) => boolean): AuditEntry[] {
    const rows: AuditEntry[] = [];
    for (const [key, window] of this.windows) {
      if (!isOver(window)) continue;
      this.windows.delete(key);
      if (window.shared) rows.push(window.shared);
    }
    return rows;
  }
}

const occurrencesOf = ({ occurrences = 1 }: AuditEntry): number => occurrences;

const newWindow = (at: Date): Window => ({ endsAtMs: at.getTime() + windowMs, ownRows: 0, shared: undefined });
