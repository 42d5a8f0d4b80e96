// Text that breaks servers: what normalising, comparing, storing or printing makes expensive or impossible.
import fc, { type Arbitrary } from 'fast-check';
import { marker } from '../request/fuzz-request.js';

const units = {
  letters: 'a',
  words: 'lorem ipsum ',
  // Canonical ordering sorts marks between two starters, in quadratic time when it is careless.
  marksOutOfOrder: '\u0315\u0300\u05ae\u0345',
  marks: '\u0301',
  hangulJamo: '\u1112\u1161\u11ab',
  // 18 characters under NFKC.
  longLigature: '\ufdfa',
  ligature: '\ufb03',
  dottedI: '\u0130',
  sharpS: '\u00df',
  fullWidth: '\uff21',
  emojiFamily: '\u{1f469}\u200d\u{1f469}\u200d\u{1f467}',
  flags: '\u{1f1e9}',
  tags: '\u{e0061}',
  rightToLeft: '\u202e\u05d0',
  zeroWidth: '\u200b',
  lineSeparator: '\u2028',
  byteOrderMark: '\ufeff',
  nonCharacter: '\uffff',
  highSurrogate: '\ud800',
  lowSurrogate: '\udc00',
  swappedPair: '\udc00\ud800',
  nul: '\u0000',
  controls: '\u0001\u001b[31m\u007f',
  lineBreaks: '\r\n',
  blanks: ' \t\u00a0\u3000',
  quotes: `'"\`\\`,
  wildcards: '%_*?',
  braces: '{${{(([[',
  repeats: '(a+)+$',
  slashes: '../',
  addresses: 'a@a.',
  dashes: 'a-',
} as const;

/** Around the limits of fields, of tokens and of bodies. */
const lengths = [0, 1, 99, 100, 101, 254, 255, 1_024, 1_025, 4_000, 20_000, 100_000, 400_000];

export const hostileTexts: Arbitrary<string> = fc
  .record({
    unit: fc.constantFrom(...Object.values(units)),
    length: fc.oneof(fc.constantFrom(...lengths), fc.nat(3_000)),
    begin: fc.constantFrom('', marker),
    end: fc.constantFrom('', 'x', '!'),
  })
  .map(({ unit, length, begin, end }) => begin + unit.repeat(Math.ceil(length / unit.length)).slice(0, length) + end);
