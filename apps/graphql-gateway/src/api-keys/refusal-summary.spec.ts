import { describe, expect, it } from '@jest/globals';
import type { AuditEntry } from './audit-entry.entity.js';
import { ownRowsMax, RefusalSummary } from './refusal-summary.js';

const start = new Date('2026-03-31T23:59:30.000Z');
const after = (ms: number): Date => new Date(start.getTime() + ms);
const refusal = (given: Partial<AuditEntry> = {}): AuditEntry => ({
  at: start,
  outcome: 'refused_unknown',
  keyId: null,
  keyPrefix: 'svc_aaaa',
  userId: null,
  ip: '203.0.113.7',
  operationName: null,
  ...given,
});
/** Adds the entries and answers how many got a row of their own. */
const addAll = (summary: RefusalSummary, entries: AuditEntry[]): number =>
  entries.filter((entry) => summary.add(entry) !== undefined).length;

describe('RefusalSummary', () => {
  it('gives the first refusals of a minute a row each and the others a shared one, and loses none', () => {
    const summary = new RefusalSummary();
    expect(
      addAll(
        summary,
        Array.from({ length: 1000 }, () => refusal()),
      ),
    ).toBe(ownRowsMax);
    expect(summary.takeEnded(after(59_999))).toEqual([]);
    expect(summary.takeEnded(after(60_000))).toEqual([refusal({ occurrences: 1000 - ownRowsMax })]);
    expect(summary.takeAll()).toEqual([]);
    expect(summary.add(refusal({ at: after(60_000) }))).toBeDefined();
  });

  it('leaves out of a shared row what differs between its refusals', () => {
    const summary = new RefusalSummary();
    const many = (count: number, given: Partial<AuditEntry>) => Array.from({ length: count }, () => refusal(given));
    addAll(summary, many(ownRowsMax + 1, { ip: '2001:db8::1' }));
    addAll(summary, many(4, { ip: '2001:db8::2', keyPrefix: 'svc_bbbb' }));
    expect(summary.takeAll()).toEqual([refusal({ ip: '2001:db8::/64', keyPrefix: null, occurrences: 5 })]);
  });

  it('distinguishes kinds, keys and networks', () => {
    const summary = new RefusalSummary();
    const entries = [
      refusal(),
      refusal({ outcome: 'refused_expired', keyId: 'a' }),
      refusal({ outcome: 'rate_limited', keyId: 'a' }),
      refusal({ outcome: 'rate_limited', keyId: 'b' }),
      refusal({ ip: '203.0.113.8' }),
    ];
    for (let n = 0; n < ownRowsMax; n += 1) expect(addAll(summary, entries)).toBe(entries.length);
    expect(addAll(summary, entries)).toBe(0);
    expect(summary.takeAll()).toEqual(entries);
  });

  it('always gives the use of a key a row of its own', () => {
    const summary = new RefusalSummary();
    const uses = Array.from({ length: 100 }, () => refusal({ outcome: 'used', keyId: 'a' }));
    expect(addAll(summary, uses)).toBe(100);
  });

  it('needs no more memory and no more rows for a million networks', () => {
    const summary = new RefusalSummary();
    let ownRows = 0;
    for (let n = 0; n < 20_000; n += 1) {
      ownRows += addAll(summary, [refusal({ ip: `2001:db8:${(n >> 8).toString(16)}:${(n & 255).toString(16)}::1` })]);
    }
    const shared = summary.takeAll();
    expect(ownRows).toBe(500);
    expect(shared).toEqual([refusal({ ip: null, occurrences: 19_500 })]);
  });
});
