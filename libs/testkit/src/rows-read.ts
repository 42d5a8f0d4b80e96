/** A node of what `explain (analyze, format json)` answers. */
interface PlanNode {
  'Relation Name'?: string;
  'Actual Rows': number;
  'Actual Loops': number;
  'Rows Removed by Filter'?: number;
  Plans?: PlanNode[];
}

/** What `explain (analyze, format json)` answers with. */
export interface ExplainedRow {
  'QUERY PLAN': [{ Plan: PlanNode }];
}

/** Rows that a statement read of tables and indexes, with those that a filter dropped. */
export function rowsRead({ 'QUERY PLAN': [{ Plan }] }: ExplainedRow): number {
  return Math.round(scannedRows(Plan));
}

function scannedRows(node: PlanNode): number {
  const own = node['Relation Name']
    ? (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0)) * node['Actual Loops']
    : 0;
  return (node.Plans ?? []).reduce((sum, child) => sum + scannedRows(child), own);
}
