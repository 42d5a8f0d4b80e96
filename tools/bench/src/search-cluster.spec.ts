import { describe, expect, it } from '@jest/globals';
import { type ClusterPlan, simulate } from './search-cluster.js';

const measured: ClusterPlan = { nodes: 1, coresPerNode: 2, shards: 1, copies: 1, millionRecords: 10 };
const large: ClusterPlan = { nodes: 12, coresPerNode: 8, shards: 96, copies: 2, millionRecords: 1000 };
const load = { queries: 4_000, seed: 7 };
/** Each of these is 192 searches. */
const ofLarge = { queries: 500, seed: 7 };

describe('the simulated cluster', () => {
  it('is as fast as the one that was measured: 10 million records, one shard, one caller and eight', () => {
    const alone = simulate(measured, { ...load, arrivals: { callers: 1 } });
    // Measured: p50 12, p99 287 ms.
    expect(alone.p50Ms).toBeGreaterThan(9);
    expect(alone.p50Ms).toBeLessThan(18);
    expect(alone.p99Ms).toBeGreaterThan(230);
    expect(alone.p99Ms).toBeLessThan(345);
    const eight = simulate(measured, { ...load, arrivals: { callers: 8 } });
    // Measured: 50 a second, p50 125, p99 628 ms.
    expect(eight.perSecond).toBeGreaterThan(40);
    expect(eight.perSecond).toBeLessThan(65);
    expect(eight.p99Ms).toBeGreaterThan(350);
    expect(eight.p99Ms).toBeLessThan(900);
  });

  it('answers faster with more shards while its cores are free, and queues when they are not', () => {
    const quiet = (shards: number) => simulate({ ...large, shards }, { ...ofLarge, arrivals: { perSecond: 1 } });
    expect(quiet(96).p99Ms).toBeLessThan(quiet(24).p99Ms / 2);
    const busy = simulate(large, { ...ofLarge, arrivals: { perSecond: 1_000 } });
    expect(busy.busy).toBeGreaterThan(0.9);
    expect(busy.p99Ms).toBeGreaterThan(10 * quiet(96).p99Ms);
  });

  it('goes on without a lost node: what was on it is counted, and the others do its work', () => {
    const arrivals = { perSecond: 10 };
    const whole = simulate(large, { ...ofLarge, arrivals });
    const without = simulate(large, { ...ofLarge, arrivals, lostAfter: 0.5 });
    expect(whole.lost).toBe(0);
    expect(without.lost).toBeLessThan(20);
    expect(without.busy).toBeGreaterThan(whole.busy);
    // Without a copy elsewhere, part of the records would be missing.
    expect(() => simulate({ ...large, copies: 1 }, { ...ofLarge, arrivals, lostAfter: 0.5 })).toThrow();
  });
});
