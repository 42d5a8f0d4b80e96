// A cluster of search nodes under load, by simulation. It shows what queueing, slow shards and a lost node do to the
// time of a page with its count. The costs are those measured on one shard; the machines are as fast as those measured.
// docs/scale.md says where it is likely wrong.
import { Dice } from './dice.js';

export interface ClusterPlan {
  nodes: number;
  coresPerNode: number;
  /** Of one index, without copies. */
  shards: number;
  /** Copies of each shard, the first one included. */
  copies: number;
  /** Of one index. */
  millionRecords: number;
}

export interface LoadPlan {
  queries: number;
  seed: number;
  /** Requests a second that arrive by chance, or callers that ask again as soon as they have their answer. */
  arrivals: { perSecond: number } | { callers: number };
  /** The share of queries after which a node is lost; none unless given. */
  lostAfter?: number;
}

export interface ClusterResult {
  p50Ms: number;
  p99Ms: number;
  perSecond: number;
  /** Share of the time of all cores that are there at the end. */
  busy: number;
  /** Queries that were on the lost node, which PostgreSQL answers. */
  lost: number;
}

// Measured on 10 million companies in one shard, 2 cores: p50 12, p99 287 ms, 6 ms for a page without its count.
const countMsMedian = 12;
const countMsP99 = 287;
const measuredMillions = 10;
const pageMs = 6;
/** Longest query that was measured; a limit of the time of a query keeps it so. */
const countMsMax = 407;
/** Spread of a logarithmic normal distribution with this median and p99. */
const spread = Math.log(countMsP99 / countMsMedian) / 2.326;

/** Of a shard whatever its size: finding the words, and answering. */
const shardMs = 1;
/** One shard of a query is slower or faster than another by so much. */
const shardSpread = 0.2;
/** A shard waits for its node once in a while: collecting garbage, merging segments. */
const pause = { share: 0.005, ms: 40 };
/** Way to the node and back, and sorting the answers of the shards. */
const networkMs = 1;
const mergeMsOfShard = 0.05;

interface Node {
  /** When each core has done all that it was given. */
  freeAtMs: number[];
  isLost: boolean;
}

export function simulate(cluster: ClusterPlan, { queries, seed, arrivals, lostAfter }: LoadPlan): ClusterResult {
  const dice = new Dice(seed);
  const nodes: Node[] = Array.from({ length: cluster.nodes }, () => ({
    freeAtMs: Array.from({ length: cluster.coresPerNode }, () => 0),
    isLost: false,
  }));
  const callersFreeAtMs = 'callers' in arrivals ? Array.from({ length: arrivals.callers }, () => 0) : [];
  const tookMs: number[] = [];
  const underWay: { endMs: number; onLast: boolean }[] = [];
  let [nowMs, endMs, busyMs, lost] = [0, 0, 0, 0];
  for (let query = 0; query < queries; query++) {
    const caller = callersFreeAtMs.length > 0 ? soonest(callersFreeAtMs) : -1;
    nowMs =
      'callers' in arrivals
        ? callersFreeAtMs[caller]!
        : nowMs - (Math.log(1 - dice.next()) * 1000) / arrivals.perSecond;
    if (lostAfter !== undefined && query === Math.floor(queries * lostAfter)) {
      nodes.at(-1)!.isLost = true;
      lost = underWay.filter((each) => each.onLast && each.endMs > nowMs).length;
    }
    const hardness = Math.min(countMsMax, countMsMedian * Math.exp(spread * normal(dice))) / measuredMillions;
    const millions = cluster.millionRecords / cluster.shards;
    let doneMs = nowMs;
    let onLast = false;
    for (let shard = 0; shard < cluster.shards; shard++) {
      const node = copyOf(nodes, shard, cluster.copies);
      onLast ||= node === nodes.length - 1;
      for (const msOfMillion of [pageMs / measuredMillions, hardness]) {
        const paused = dice.chance(pause.share) ? pause.ms : 0;
        const workMs = shardMs / 2 + msOfMillion * millions * (1 + shardSpread * (2 * dice.next() - 1)) + paused;
        const { freeAtMs } = nodes[node]!;
        const core = soonest(freeAtMs);
        freeAtMs[core] = Math.max(freeAtMs[core]!, nowMs) + workMs;
        doneMs = Math.max(doneMs, freeAtMs[core]);
        busyMs += workMs;
      }
    }
    doneMs += networkMs + mergeMsOfShard * cluster.shards;
    tookMs.push(doneMs - nowMs);
    if (lostAfter !== undefined && query < queries * lostAfter) underWay.push({ endMs: doneMs, onLast });
    endMs = Math.max(endMs, doneMs);
    if (caller >= 0) callersFreeAtMs[caller] = doneMs;
  }
  tookMs.sort((a, b) => a - b);
  const cores = nodes.filter(({ isLost }) => !isLost).length * cluster.coresPerNode;
  return {
    p50Ms: tookMs[Math.floor(queries / 2)]!,
    p99Ms: tookMs[Math.floor(queries * 0.99)]!,
    perSecond: (queries * 1000) / endMs,
    busy: busyMs / endMs / cores,
    lost,
  };
}

/** The copies of a shard are on nodes beside each other; the one that is free first gets the work. */
function copyOf(nodes: readonly Node[], shard: number, copies: number): number {
  const places = Array.from({ length: copies }, (_, copy) => (shard + copy) % nodes.length);
  const there = places.filter((place) => !nodes[place]!.isLost);
  const freeAt = (place: number) => Math.min(...nodes[place]!.freeAtMs);
  return there.reduce((best, place) => (freeAt(place) < freeAt(best) ? place : best));
}

function soonest(freeAtMs: readonly number[]): number {
  return freeAtMs.reduce((best, atMs, place) => (atMs < freeAtMs[best]! ? place : best), 0);
}

/** Of the standard normal distribution (Box and Muller). */
function normal(dice: Dice): number {
  return Math.sqrt(-2 * Math.log(1 - dice.next())) * Math.cos(2 * Math.PI * dice.next());
}
