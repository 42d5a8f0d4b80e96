// Prints the table of docs/scale.md: `npm run build && node tools/bench/dist/simulate-search.js`.
import { type ClusterPlan, simulate } from './search-cluster.js';

const plans: ClusterPlan[] = [
  { nodes: 3, coresPerNode: 4, shards: 3, copies: 2, millionRecords: 10 },
  { nodes: 3, coresPerNode: 8, shards: 12, copies: 2, millionRecords: 100 },
  { nodes: 12, coresPerNode: 8, shards: 96, copies: 2, millionRecords: 1000 },
  { nodes: 24, coresPerNode: 8, shards: 192, copies: 2, millionRecords: 1000 },
];
const queries = 5_000;
const seed = 1;

for (const plan of plans) {
  const alone = simulate(plan, { queries, seed, arrivals: { callers: 1 } });
  const most = simulate(plan, { queries, seed, arrivals: { callers: 256 } }).perSecond;
  const half = simulate(plan, { queries, seed, arrivals: { perSecond: most / 2 } });
  const lost = simulate(plan, { queries, seed, arrivals: { perSecond: most / 2 }, lostAfter: 0.3 });
  const { nodes, coresPerNode, shards, millionRecords } = plan;
  const ms = (value: number) => value.toFixed(value < 10 ? 1 : 0);
  console.log(
    `| ${millionRecords} M | ${nodes} × ${coresPerNode} | ${shards} | ${ms(alone.p50Ms)} / ${ms(alone.p99Ms)} | ` +
      `${ms(most)} | ${ms(half.p50Ms)} / ${ms(half.p99Ms)} | ${ms(lost.p50Ms)} / ${ms(lost.p99Ms)} | ${lost.lost} |`,
  );
}
