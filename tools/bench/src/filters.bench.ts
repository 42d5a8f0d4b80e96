// Random filters on all four entities. At --scale 1: 1,000,000 companies, 2,000,000 persons, 1,000,000 deals, 1,000,000
// contacts. `--part` names servers, such as `embedded`; `--seed` draws other filters.
import { benchOf } from './filters-comparison.js';
import { atLeast, below } from './filters-tables.js';
import { usualRows } from './graphql-rows.js';

export const bench = benchOf({
  name: 'filters',
  rows: usualRows,
  asksWhileBuilding: true,
  targets: {
    'one after the other: p50': { embedded: below(4), OpenSearch: below(8) },
    'one after the other: p99': { PostgreSQL: below(2000), embedded: below(25), OpenSearch: below(50) },
    '8 connections: requests': { embedded: atLeast(400), OpenSearch: atLeast(200) },
    '8 connections: p99': { embedded: below(60), OpenSearch: below(150) },
  },
});
