import fc from 'fast-check';
import { marker } from '../request/fuzz-request.js';
import type { HostileClass } from './class.types.js';

// What two servers in a row could read differently. Each must be refused, or the connection closed.
const heads: Record<string, string> = {
  twoLengths: 'Content-Length: 2\r\nContent-Length: 30\r\n\r\n{}',
  twoEqualLengths: 'Content-Length: 2\r\nContent-Length: 2\r\n\r\n{}',
  listOfLengths: 'Content-Length: 2, 30\r\n\r\n{}',
  signedLength: 'Content-Length: +2\r\n\r\n{}',
  negativeLength: 'Content-Length: -1\r\n\r\n{}',
  hexLength: 'Content-Length: 0x2\r\n\r\n{}',
  hugeLength: `Content-Length: ${'9'.repeat(40)}\r\n\r\n{}`,
  lengthAndChunked: 'Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
  chunkedTwice: 'Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n',
  chunkedNotLast: 'Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n',
  unknownCoding: 'Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n',
  blankBeforeColon: 'Content-Length : 2\r\n\r\n{}',
  blankInName: 'Content Length: 2\r\n\r\n{}',
  bareLineFeeds: 'Content-Length: 2\nX-A: b\n\n{}',
  bareCarriageReturn: 'X-A: b\rContent-Length: 2\r\n\r\n{}',
  foldedLine: 'X-A: b\r\n Content-Length: 2\r\n\r\n{}',
  nulInValue: `X-A: ${marker}\0b\r\nContent-Length: 2\r\n\r\n{}`,
  noColon: `${marker}\r\nContent-Length: 2\r\n\r\n{}`,
  emptyName: ': a\r\nContent-Length: 2\r\n\r\n{}',
  hugeHeader: `X-A: ${'a'.repeat(100_000)}\r\nContent-Length: 2\r\n\r\n{}`,
  manyHeaders: `${Array.from({ length: 3_000 }, (_, index) => `X-${index}: a\r\n`).join('')}Content-Length: 2\r\n\r\n{}`,
  chunkSizeOverflow: 'Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n{}',
  chunkSizeNegative: 'Transfer-Encoding: chunked\r\n\r\n-1\r\n{}',
  chunkWithoutBreak: 'Transfer-Encoding: chunked\r\n\r\n2\r\n{}0\r\n\r\n',
};
const begins = ['POST {} HTTP/1.1\r\nHost: fuzz\r\n', 'GET {} HTTP/1.1\r\nHost: fuzz\r\n'];
const wholes = [
  'GET / HTTP/1.1\r\n\r\n',
  'GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\nX',
  `GET /${marker} HTTP/9.9\r\nHost: a\r\n\r\n`,
  'GET / HTTP/1.1 extra\r\nHost: a\r\n\r\n',
  'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n',
  'get / HTTP/1.1\r\nHost: a\r\n\r\n',
  '\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03',
  `GET http://[ HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET /%zz?${marker} HTTP/1.1\r\nHost: a\r\n\r\n`,
  `GET /${'a'.repeat(70_000)} HTTP/1.1\r\nHost: a\r\n\r\n`,
  'CONNECT a:1 HTTP/1.1\r\nHost: a\r\n\r\n',
  'TRACE / HTTP/1.1\r\nHost: a\r\n\r\n',
  'OPTIONS * HTTP/1.1\r\nHost: a\r\n\r\n',
];

/** Headers that a proxy and a server could understand differently, and requests that are hardly HTTP. */
export const smuggledHeaders: HostileClass = {
  name: 'smuggled headers',
  // Some are just odd, such as two hosts or equal lengths, and the path may exist.
  isRefused: false,
  weight: 0.3,
  requests: (service, { operations }) => {
    const paths = [
      '/',
      '/health',
      '/auth/login',
      '/graphql',
      ...new Set(operations.map(({ name }) => name.split(' ')[1]!)),
    ];
    const follow = `GET /${marker} HTTP/1.1\r\nHost: fuzz\r\n\r\n`;
    return fc
      .oneof(
        fc
          .tuple(fc.constantFrom(...begins), fc.constantFrom(...paths), fc.constantFrom(...Object.values(heads)))
          .map(([begin, path, head]) => begin.replace('{}', path) + head),
        fc.constantFrom(...wholes),
      )
      .map((text) => ({ kind: 'wire', service, parts: [{ text: text + follow, pauseMs: 0 }] }));
  },
};
