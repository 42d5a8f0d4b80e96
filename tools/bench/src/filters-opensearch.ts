// OpenSearch as a peer: the searches that the gateway sends, without the gateway and without the rows.
import { allOf, searchQuery } from '@tradewind/filters';
import type { DrawnFilter } from './drawn-filters.js';

/** @returns the body of `_msearch`, or undefined when the index does not hold what the filter asks for */
export function openSearchBody({ entity, filter, beside, sort }: DrawnFilter, pageSize: number): string | undefined {
  if (beside.email !== undefined || beside.person) return undefined;
  const isRecord = { range: { id: { gt: 0 } } };
  const query = allOf([...(filter.conditions.length > 0 ? [searchQuery(filter)] : []), isRecord]);
  const keys = sort.map(({ column, direction }) => ({ [column]: { order: direction, missing: '_last' } }));
  const page = {
    query,
    size: pageSize,
    sort: sort.some(({ column }) => column === 'id') ? keys : [...keys, { id: 'asc' }],
    _source: false,
    stored_fields: '_none_',
    track_total_hits: false,
  };
  const count = { query, size: 0, track_total_hits: true };
  const header = JSON.stringify({ index: `tradewind-${entity}` });
  return [header, JSON.stringify(page), header, JSON.stringify(count), ''].join('\n');
}
