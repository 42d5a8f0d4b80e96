import { describe, expect, it } from '@jest/globals';
import { backupObjectName } from './backup-object-name.js';

describe('backupObjectName', () => {
  it('is the handle and the second in UTC, with a suffix for twins', () => {
    const receivedAt = new Date('2026-03-04T05:06:07.999+02:00');
    expect(backupObjectName('jane', receivedAt, 1)).toBe('jane_20260304030607.json');
    expect(backupObjectName('jane', receivedAt, 2)).toBe('jane_20260304030607-2.json');
  });
});
