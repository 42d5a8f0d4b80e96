// Random filters, each with its exact count and a page of 50. The gateway with each of its engines, and peers, answer
// the same filters in turn. No filter comes twice, so nothing that is kept helps.
import type { RecordEntity } from '@tradewind/filters';
import type { Bench, BenchTables } from './bench.types.js';
import { type DrawnFilter, drawFilters } from './drawn-filters.js';
import { askAll, type FilterAnswer } from './filter-load.js';
import { readPopulation } from './filter-population.js';
import {
  entities,
  isReady,
  makeUsers,
  type MeasuredServer,
  type Metrics,
  openSearchAlone,
  type SearchCluster,
  type ServerOptions,
  startCluster,
  startGateway,
  startMercurius,
  startPostgraphile,
  sumOf,
  untilReady,
} from './filters-servers.js';
import { type Build, differencesOf, type ServerResult, type SpeedTargets, tablesOf } from './filters-tables.js';
import { fillTables, rowCounts, type TableRows } from './graphql-rows.js';
import { startIdleLoop } from './idle-loop.js';
import { median } from './median.js';
import { onStage, type Stage, until } from './stage.js';

/** Asked one after the other, and as many others over the connections. */
const filterCount = 400;
const connections = 8;
/** Each server answers a quarter of the filters, then the next one has its turn. */
const rounds = 4;
const defaultSeed = 20_261_124;
// Most rows of pages are in memory then, and V8 and the JVM have optimised what an answer runs through.
const warmUpFilters = 10_000;
const warmUpSeconds = (scale: number) => Math.min(60, 3 + 57 * scale);
/** Others used the processors and their caches before a turn. It begins with some filters that are not measured. */
const turnFilters = 300;
const turnSeconds = 3;
/** How often the index in memory is built. The figures are medians, since a busy host stops the machine at times. */
const embeddedBuilds = 3;
/** For each of two gateways that build at once. A build that never ends is a fault of the next step. */
const buildingFiltersMax = 20_000;

const names = ['PostgreSQL', 'embedded', 'OpenSearch', 'Mercurius', 'PostGraphile', 'OpenSearch alone'] as const;
type Name = (typeof names)[number];

export interface Comparison {
  /** Of the benchmark. */
  name: string;
  rows: TableRows;
  /** What is asked for; all unless given. */
  entities?: readonly RecordEntity[];
  /** Those that answer; all unless given. `--part` names some of them. */
  servers?: readonly Name[];
  /** Whether two gateways that build the index in memory at once are asked meanwhile. */
  asksWhileBuilding?: boolean;
  targets: SpeedTargets;
}

export function benchOf(comparison: Comparison): Bench {
  return {
    name: comparison.name,
    run: (context) =>
      onStage(
        context,
        async (stage) => {
          await fillTables(stage, comparison.rows);
          return compare(stage, comparison);
        },
        { dataDir: context.dataDir, schema: 'graphql_gateway' },
      ),
  };
}

async function compare(stage: Stage, comparison: Comparison): Promise<BenchTables> {
  const { userIds, keys } = await makeUsers(stage);
  const seed = stage.seed ?? defaultSeed;
  const drawing = drawFilters(await readPopulation(stage.sql, userIds), seed, comparison.entities);
  const draw = (count: number) => Array.from({ length: count }, () => drawing.next().value);
  const [warmUp, alone, together] = [draw(warmUpFilters), draw(filterCount), draw(filterCount)];
  const turns = Array.from({ length: 2 * rounds }, () => draw(turnFilters));
  const { servers, builds, cluster, missing } = await startServers(
    { stage, keys },
    comparison.servers ?? names,
    comparison.asksWhileBuilding ? draw : undefined,
  );
  try {
    const results = await measure(stage, servers, { warmUp, turns, alone, together });
    const data = `${rowCounts(comparison.rows, stage)}; pages of 50; seed ${seed}.`;
    const how = `All servers in turn in one run. ${data}${missing ? ` OpenSearch did not run: ${missing}.` : ''}`;
    for (const result of results) report(stage, result);
    for (const [name, differences] of differencesOf(results))
      for (const { drawn, found, expected } of differences.slice(0, 5))
        stage.log(
          `${name}, another answer: ${found.count} instead of ${expected.count}, ids ${found.ids.slice(0, 3).join()} instead of ${expected.ids.slice(0, 3).join()}: user ${drawn.user}, ${drawn.entity} ${JSON.stringify(drawn.variables)}`,
        );
    return tablesOf(
      results.map((result) => ({ ...result, ...(builds.has(result.name) && { build: builds.get(result.name)! }) })),
      { how, targets: comparison.targets },
    );
  } finally {
    await cluster?.node.stop();
  }
}

interface Servers {
  servers: MeasuredServer[];
  builds: Map<string, Build>;
  cluster: SearchCluster | undefined;
  /** Why OpenSearch does not run. */
  missing: string | undefined;
}

type Draw = (count: number) => DrawnFilter[];

/** @param draw gives the filters for gateways that build, if they are asked for any */
async function startServers(options: ServerOptions, known: readonly Name[], draw?: Draw): Promise<Servers> {
  const { stage } = options;
  const isWanted = (name: Name) => known.includes(name) && (!stage.parts || stage.parts.includes(name));
  const unknown = stage.parts?.filter((part) => !known.some((name) => name === part)) ?? [];
  if (unknown.length > 0) throw new Error(`No server named ${unknown.join(', ')}. There are: ${known.join(', ')}`);
  const servers: MeasuredServer[] = [];
  const builds = new Map<string, Build>();
  if (isWanted('PostgreSQL')) servers.push(await startGateway(options, 'PostgreSQL', { FILTER_ENGINE: 'postgres' }));
  if (isWanted('embedded')) {
    const whileBuilding = draw && (await askWhileBuilding(options, draw));
    const { server, build } = await startEmbedded(options);
    servers.push(server);
    builds.set('embedded', { ...build, whileBuilding });
  }
  let cluster: SearchCluster | undefined;
  let missing: string | undefined;
  if (isWanted('OpenSearch') || isWanted('OpenSearch alone')) {
    const started = await startCluster(stage);
    if (typeof started === 'string') {
      missing = started;
      stage.log(`OpenSearch does not run: ${missing}`);
    } else {
      cluster = started;
      builds.set('OpenSearch', await clusterBuild(stage, cluster));
    }
  }
  if (cluster && isWanted('OpenSearch')) {
    const { node, settings } = cluster;
    const env = { FILTER_ENGINE: 'opensearch', ...settings };
    const alone = openSearchAlone(cluster);
    const gateway = await startGateway(options, 'OpenSearch', env, () => alone.processorMs());
    await untilReady(gateway);
    servers.push(gateway);
    stage.log(`OpenSearch is process ${node.pid}`);
  }
  if (isWanted('Mercurius')) servers.push(await startMercurius(options));
  if (isWanted('PostGraphile')) servers.push(await startPostgraphile(options));
  if (cluster && isWanted('OpenSearch alone')) servers.push(openSearchAlone(cluster));
  return { servers, builds, cluster, missing };
}

const embeddedSettings = { FILTER_ENGINE: 'embedded', FILTER_ENGINE_MEMORY_MAX_MB: '8192' };

/** Starts two gateways at once, and asks each for one filter after the other until its index is built. */
async function askWhileBuilding(options: ServerOptions, draw: Draw): Promise<FilterAnswer[]> {
  const started = [0, 1].map(() => startGateway(options, 'embedded', embeddedSettings));
  const answers = await Promise.all(
    started.map(async (starting) => {
      const server = await starting;
      const found: FilterAnswer[] = [];
      while (found.length < buildingFiltersMax && !(await isReady(server)))
        found.push(...(await askAll(server, draw(10), { connections: 1 })).answers);
      await server.stop!();
      return found;
    }),
  );
  options.stage.log(`two gateways that built at once: ${answers.map(({ length }) => length).join(' and ')} answers`);
  return answers.flat();
}

/** Starts the gateway several times, and each time it builds the index. The last one stays. */
async function startEmbedded(options: ServerOptions): Promise<{ server: MeasuredServer; build: Build }> {
  const made: WatchedBuild[] = [];
  let server: MeasuredServer;
  for (;;) {
    server = await startGateway(options, 'embedded', embeddedSettings);
    made.push(await watchBuild(options.stage, server));
    if (made.length === embeddedBuilds) break;
    await server.stop!();
  }
  const medianOf = (figure: (build: WatchedBuild) => number) => median(made.map(figure));
  return {
    server,
    build: {
      seconds: medianOf(({ seconds }) => seconds),
      heldMs: medianOf(({ heldMs }) => heldMs),
      idleHeldMs: medianOf(({ idleHeldMs }) => idleHeldMs),
      mebibytesPerMillion: made.at(-1)!.mebibytesPerMillion,
    },
  };
}

type WatchedBuild = Required<Omit<Build, 'whileBuilding'>>;

/** The engine builds one entity after the other, at least a second apart when tables are small. */
async function watchBuild(stage: Stage, server: MeasuredServer): Promise<WatchedBuild> {
  const mebibytesPerMillion: Record<string, number> = {};
  const endIdleLoop = await startIdleLoop();
  let [heldMs, bytes] = [0, 0];
  let metrics: Metrics = [];
  await until('the indexes in memory are built', async () => {
    metrics = await server.metrics!();
    heldMs = Math.max(heldMs, heldMsOf(metrics));
    const bytesNow = sumOf(metrics, 'filter_index_bytes');
    const added = entities.filter(
      (entity) => !(entity in mebibytesPerMillion) && sumOf(metrics, builtMetric('count', entity)) > 0,
    );
    for (const entity of added) {
      const rows = await rowsOf(stage, entity);
      if (rows > 0) mebibytesPerMillion[entity] = (bytesNow - bytes) / added.length / 2 ** 20 / (rows / 1e6);
    }
    bytes = bytesNow;
    return sumOf(metrics, 'filter_index_ready') === entities.length;
  });
  const seconds = entities.reduce((sum, entity) => sum + sumOf(metrics, builtMetric('sum', entity)), 0);
  const idleHeldMs = await endIdleLoop();
  stage.log(`the indexes in memory: built in ${seconds.toFixed(1)} s, ${Math.round(bytes / 2 ** 20)} MiB`);
  stage.log(`event loop held for ${Math.round(heldMs)} ms at most, an idle one for ${Math.round(idleHeldMs)} ms`);
  return { seconds, heldMs, idleHeldMs, mebibytesPerMillion };
}

const builtMetric = (kind: 'count' | 'sum', entity: string) => `filter_index_built_seconds_${kind}{entity="${entity}"`;

async function rowsOf({ sql }: Stage, entity: string): Promise<number> {
  const { rows } = await sql.query<{ count: string }>(`select count(*) as count from ${entity}`);
  return Number(rows[0]!.count);
}

async function clusterBuild(stage: Stage, { node, buildSeconds }: SearchCluster): Promise<Build> {
  const mebibytesPerMillion: Record<string, number> = {};
  for (const entity of entities) {
    const answer = await fetch(`${node.url}/tradewind-${entity}/_stats/store`);
    const { _all } = (await answer.json()) as { _all: { primaries: { store: { size_in_bytes: number } } } };
    const mebibytes = _all.primaries.store.size_in_bytes / 2 ** 20;
    const rows = await rowsOf(stage, entity);
    if (rows > 0) mebibytesPerMillion[entity] = mebibytes / (rows / 1e6);
  }
  stage.log(`the indexes in OpenSearch: built in ${buildSeconds.toFixed(1)} s`);
  return { seconds: buildSeconds, mebibytesPerMillion };
}

/** Since the last look at the metrics. */
function heldMsOf(metrics: Metrics): number {
  return 1000 * sumOf(metrics, 'nodejs_eventloop_lag_max_seconds');
}

interface Filters extends Record<'warmUp' | 'alone' | 'together', DrawnFilter[]> {
  /** What each turn of all servers begins with. */
  turns: DrawnFilter[][];
}

async function measure(stage: Stage, servers: MeasuredServer[], filters: Filters): Promise<ServerResult[]> {
  const results: ServerResult[] = [];
  const before = new Map<string, Metrics | undefined>();
  for (const server of servers) {
    stage.log(`${server.name}: warming up`);
    const endMs = performance.now() + 1000 * warmUpSeconds(stage.scale);
    await askAll(server, filters.warmUp, { connections, endMs });
    before.set(server.name, await server.metrics?.());
    const { name, hasSameOrder } = server;
    results.push({
      name,
      hasSameOrder,
      alone: [],
      together: [],
      togetherSeconds: 0,
      busy: { seconds: 0, answers: 0 },
      processorMs: 0,
    });
  }
  const turns = filters.turns.values();
  const inRounds = async (all: DrawnFilter[], ask: (some: DrawnFilter[], place: number) => Promise<void>) => {
    const each = Math.ceil(all.length / rounds);
    for (let round = 0; round < rounds; round++) {
      const some = all.slice(round * each, (round + 1) * each);
      const others = turns.next().value!;
      for (const place of servers.keys()) {
        await askAll(servers[place]!, others, { connections, endMs: performance.now() + 1000 * turnSeconds });
        await servers[place]!.metrics?.();
        await ask(some, place);
        const held = await servers[place]!.metrics?.();
        if (held) results[place]!.heldMs = Math.max(results[place]!.heldMs ?? 0, heldMsOf(held));
      }
      stage.log(`round ${round + 1} of ${rounds}`);
    }
  };
  const processorMs = servers.map(() => 0);
  await inRounds(filters.alone, async (some, place) => {
    const startedMs = servers[place]!.processorMs();
    const { answers } = await askAll(servers[place]!, some, { connections: 1 });
    results[place]!.alone.push(...answers);
    processorMs[place]! += servers[place]!.processorMs() - startedMs;
  });
  await inRounds(filters.together, async (some, place) => {
    const { answers, seconds, busy } = await askAll(servers[place]!, some, { connections });
    const result = results[place]!;
    result.together.push(...answers);
    result.togetherSeconds += seconds;
    result.busy.seconds += busy.seconds;
    result.busy.answers += busy.answers;
  });
  for (const [place, server] of servers.entries()) {
    const result = results[place]!;
    result.processorMs = processorMs[place]! / Math.max(1, result.alone.length);
    result.residentMiB = server.residentMiB?.();
    const after = await server.metrics?.();
    if (after && server.name !== 'PostgreSQL') result.leftToPostgres = leftToPostgres(before.get(server.name)!, after);
  }
  return results;
}

function leftToPostgres(before: Metrics, after: Metrics): NonNullable<ServerResult['leftToPostgres']> {
  const of = (reason: string) => {
    const beginning = `page_read_total{source="postgres"${reason}`;
    return sumOf(after, beginning) - sumOf(before, beginning);
  };
  const [filter, tooCostly] = [of(',reason="filter"'), of(',reason="too_costly"')];
  return { filter, too_costly: tooCostly, other: of('') - filter - tooCostly };
}

/** What a person needs to find a fault: the slowest filters, and answers that are none. */
function report({ log }: Stage, { name, alone, together }: ServerResult): void {
  const shown = ({ drawn, ms, status, fault }: FilterAnswer) =>
    `${ms.toFixed(0)} ms, ${status}, ${drawn.entity} ${JSON.stringify(drawn.variables).slice(0, 400)} ${fault ?? ''}`;
  const slowest = alone.toSorted((a, b) => b.ms - a.ms).slice(0, 3);
  for (const answer of slowest) log(`${name}, slow: ${shown(answer)}`);
  const faults = [...alone, ...together].filter(({ found }) => !found);
  for (const answer of faults.slice(0, 5)) log(`${name}, no answer: ${shown(answer)}`);
}
