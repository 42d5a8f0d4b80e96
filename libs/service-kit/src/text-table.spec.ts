import { describe, expect, it } from '@jest/globals';
import { printable, textTable, utcText } from './text-table.js';

describe('a table for the terminal', () => {
  it('has headings, columns of one width and no spaces at the end of a line', () => {
    const rows = [
      ['1', 'ada@example.com', ''],
      ['10', 'b@example.com', 'Bob'],
    ];
    // Standard output of a test is no terminal, so nothing is bold.
    expect(textTable(['id', 'email', 'name'], rows, 'none').split('\n')).toEqual([
      'id  email            name',
      '1   ada@example.com  -',
      '10  b@example.com    Bob',
    ]);
  });

  it('says so when there is nothing', () => {
    expect(textTable(['id'], [], 'Nothing here: there are no users.')).toBe('Nothing here: there are no users.');
  });

  it('shows characters that would move the cursor, hide text or turn it around as escapes', () => {
    expect(textTable(['name'], [['\u001b[2Ja\nb\u202e']], '')).toBe('name\n\\u{001b}[2Ja\\u{000a}b\\u{202e}');
    expect(printable('Ünïcode 漢')).toBe('Ünïcode 漢');
  });

  it('gives times in UTC', () => {
    expect(utcText(new Date('2026-11-22T10:15:00.123Z'))).toBe('2026-11-22 10:15:00');
  });
});
