import { describe, expect, it } from '@jest/globals';
import { deadLetterDetails, deadLetterTable } from './dead-letter-display.js';
import type { DeadLetter } from './dead-letter.entity.js';

const encode = (text: string) => Buffer.from(text).toString('base64');
const letter = (id: string, data: unknown, more: Partial<DeadLetter> = {}): DeadLetter => ({
  id,
  message_id: `message-${id}`,
  reason: 'profiles must be a list with at least one profile',
  message: { data, attributes: { batch_number: '1' } },
  deliveries: 2,
  first_received_at: new Date('2026-11-21T10:00:00Z'),
  last_received_at: new Date('2026-11-21T10:00:01Z'),
  redriven_at: null,
  redriven_by: null,
  corrected: null,
  kept_sha256: null,
  received_sha256: null,
  dropped_at: null,
  dropped_by: null,
  drop_reason: null,
  ...more,
});
const four = encode(
  JSON.stringify({ profiles: ['ada', 'grace', 'mary', 'joan'].map((network_username) => ({ network_username })) }),
);

describe('deadLetterTable', () => {
  it('has headings, decoded content, and the command for the next page', () => {
    const table = deadLetterTable(
      { letters: [letter('12', four), letter('7', encode('{"people":[]}'))], hasMore: true },
      false,
    );
    const [headings, first, second, , footer] = table.split('\n');
    expect(headings!.split(/ {2,}/)).toEqual(['id', 'received (UTC)', 'times', 'state', 'reason', 'content']);
    expect(first).toMatch(/^12 +2026-11-21 10:00:01 +2 +open +profiles must be a list/);
    expect(first).toMatch(/4 profiles: ada, grace, mary, …$/);
    expect(second).toContain('{"people":[]}');
    expect(footer).toBe('More open dead letters: dead-letter list --after 7');
  });

  it('says when it is the last page, and when there are no dead letters', () => {
    expect(deadLetterTable({ letters: [letter('1', four)], hasMore: false }, true)).toContain(
      'These are the last dead letters.',
    );
    expect(deadLetterTable({ letters: [], hasMore: false }, false)).toBe(
      'Nothing here: there are no more open dead letters.',
    );
  });

  it('shows content that is not base64 as it came, and escapes what would move the cursor or reverse text', () => {
    const table = deadLetterTable(
      { letters: [letter('1', '***'), letter('2', encode('\u001b[2J\u202Eevil\n'))], hasMore: false },
      false,
    );
    expect(table).toContain('no text in base64: ***');
    expect(table).toContain('\\u{001b}[2J\\u{202e}evil\\u{000a}');
    for (const hidden of ['\u001b', '\u202e']) expect(table).not.toContain(hidden);
  });
});

it('shows content that is nested too deep as its text, in the table and on its own', () => {
  const deep = letter('3', encode('{"a":'.repeat(20_000) + '1' + '}'.repeat(20_000)));
  expect(deadLetterTable({ letters: [deep, letter('2', four)], hasMore: false }, false)).toMatch(
    /\{"a":\{"a":.*…\n2 .* 4 profiles: ada/,
  );
  expect(deadLetterDetails(deep)).toMatch(/content, decoded:\n(\{"a":){20000}1\}{20000}$/);
});

it('deadLetterDetails shows everything, decoded', () => {
  const details = deadLetterDetails(letter('12', four));
  expect(details).toMatch(/^reason +profiles must be a list/m);
  expect(details).toMatch(/^attributes +\{"batch_number":"1"\}$/m);
  expect(details).toContain('"network_username": "joan"');
});
