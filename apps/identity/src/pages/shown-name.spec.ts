import { expect, it } from '@jest/globals';
import { shownName } from './shown-name.js';

it.each([
  ['Harbour', 'Harbour'],
  ['  Two \t lines\n ', 'Two lines'],
  ['evil\u202egnp.exe\u0000\u200b\u2066', 'evilgnp.exe'],
  ['a' + '\u0301'.repeat(500), 'a\u0301\u0301\u0301'],
  ['x'.repeat(540), `${'x'.repeat(59)}…`],
  ['x'.repeat(60), 'x'.repeat(60)],
  ['👩‍🚀'.repeat(3), '👩‍🚀'.repeat(3)],
  ['\u05d0\u05d1', '\u2068\u05d0\u05d1\u2069'],
])('%j is shown as %j', (name, shown) => {
  expect(shownName(name)).toBe(shown);
});
