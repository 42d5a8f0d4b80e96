import fc, { type Arbitrary } from 'fast-check';
import { marker } from '../request/fuzz-request.js';
import type { HostileClass } from './class.types.js';
import { hostileTexts } from './texts.js';

const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url');

/** Cursors that are made up: rubbish, and JSON in base64 with keys that could go into SQL. */
const cursors: Arbitrary<string> = fc.oneof(
  hostileTexts,
  fc.base64String({ maxLength: 200 }),
  fc.jsonValue({ maxDepth: 3 }).map(base64),
  fc.constantFrom<unknown>([], {}, null, 0, [null], ['9'.repeat(30)], { id: `${marker}' or 1=1--` }).map(base64),
  fc.constant(Buffer.from('['.repeat(2_000)).toString('base64url')),
);

const connections = ['companiesConnection', 'personsConnection', 'dealsConnection', 'contactsConnection'];

/** Cursors that no answer contained. */
export const tamperedCursors: HostileClass = {
  name: 'tampered cursors',
  isRefused: true,
  requests: (service, { target }) => {
    // An empty cursor is the first page in REST.
    const given = cursors.filter((cursor) => cursor.trim() !== '');
    if (service === 'interactions') {
      return given
        .filter((cursor) => !/\p{Surrogate}/u.test(cursor))
        .map((cursor) => ({
          ...{ kind: 'http', service, method: 'GET', headers: {} },
          path: `/scraper/network/interactions?cursor=${encodeURIComponent(cursor)}`,
        }));
    }
    if (service !== 'graphql-gateway') return undefined;
    return fc.tuple(fc.constantFrom(...connections), given).map(([connection, after]) => ({
      ...{ kind: 'http', service, method: 'POST', path: '/graphql' },
      headers: { 'content-type': 'application/json', authorization: `Bearer ${target.tokens.apiKey}` },
      body: JSON.stringify({
        query: `query ($after: String) { ${connection}(after: $after) { totalCount } }`,
        variables: { after },
      }),
    }));
  },
};
