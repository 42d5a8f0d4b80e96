import { describe, expect, it } from '@jest/globals';
import { BackgroundWork, createLogger, Metrics } from '@tradewind/service-kit';
import type { AppEvents } from '../events.js';
import { Clock } from '../clock.js';
import type { AuditEntry } from './audit-entry.entity.js';
import { AuditLogService } from './audit-log.service.js';
import type { AuditLogStore } from './audit-log.store.js';

/** A log whose table can be away, and the entries written to it. */
function logOf() {
  const written: AuditEntry[] = [];
  const table = { isAway: false, answer: Promise.resolve() };
  const store: Pick<AuditLogStore, 'append'> = {
    append: async (entries) => {
      if (table.isAway) throw new Error('away');
      await table.answer;
      written.push(...entries);
    },
  };
  /** Lets the table answer only when the function is called that this returns. */
  const slow = (): (() => void) => {
    let end = () => undefined as void;
    table.answer = new Promise((resolve) => (end = resolve));
    return () => end();
  };
  let lost = 0;
  const events: Pick<AppEvents, 'emit'> = { emit: () => void (lost += 1) };
  const logger = createLogger({ service: 'graphql-gateway', version: '', level: 'silent' });
  const log = new AuditLogService(
    store as AuditLogStore,
    events as AppEvents,
    new Clock(),
    new BackgroundWork(logger, new Metrics(), 1_000),
  );
  return { log, written, table, slow, lost: () => lost };
}

const use = (n: number): AuditEntry => ({
  at: new Date(),
  outcome: 'used',
  keyId: String(n),
  keyPrefix: 'svc_aaaa',
  userId: null,
  ip: '203.0.113.7',
  operationName: null,
});

describe('AuditLogService', () => {
  it('keeps up to a hundred thousand entries in order while the table is away, and reports lost ones', async () => {
    const { log, written, table, lost } = logOf();
    table.isAway = true;
    for (let n = 0; n < 100_500; n += 1) log.record(use(n));
    await expect(log.flush()).rejects.toThrow('away');
    expect([written.length, lost()]).toEqual([0, 500]);
    table.isAway = false;
    await log.flush();
    expect(written.map(({ keyId }) => Number(keyId))).toEqual(Array.from({ length: 100_000 }, (_, n) => n + 500));
  });

  it('waits for a batch under way when it writes the rest', async () => {
    const { log, written, slow } = logOf();
    const end = slow();
    log.record(use(1));
    const batch = log.flush();
    const rest = log.flush();
    end();
    await rest;
    expect(written).toHaveLength(1);
    await batch;
  });

  it('writes the refusals that share a row at a clean stop', async () => {
    const { log, written } = logOf();
    for (let n = 0; n < 500; n += 1) log.record({ ...use(n), outcome: 'refused_unknown', keyId: null });
    await log.beforeApplicationShutdown();
    expect(written.map(({ occurrences }) => occurrences ?? 1)).toEqual([...Array<number>(10).fill(1), 490]);
  });

  it('needs no more memory for a flood of refusals while the table is away', async () => {
    const { log, written, table, lost } = logOf();
    table.isAway = true;
    for (let n = 0; n < 300_000; n += 1) {
      log.record({ ...use(n), outcome: 'refused_unknown', keyId: null, ip: `203.0.${(n >> 8) % 256}.${n % 256}` });
    }
    table.isAway = false;
    await log.flush();
    expect(lost()).toBe(0);
    expect(written.length).toBeLessThan(6000);
    expect(written.reduce((sum, { occurrences = 1 }) => sum + occurrences, 0)).toBe(300_000);
  });
});
