// Random filters on many companies, and on nothing else. At --scale 1 there are 10,000,000. PostgreSQL is what the
// engines are compared with.
import { benchOf } from './filters-comparison.js';
import { below } from './filters-tables.js';

export const bench = benchOf({
  name: 'filters-companies',
  rows: { company: 10e6, person: 0, deal: 0, contact: 0 },
  entities: ['company'],
  servers: ['PostgreSQL', 'embedded', 'OpenSearch'],
  targets: {
    'one after the other: p99': { OpenSearch: below(300) },
    'p99 of filters with words': { embedded: below(60) },
    'p99 of filters without words': { embedded: below(20) },
  },
});
