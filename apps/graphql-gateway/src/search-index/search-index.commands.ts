// Operator commands of the index in OpenSearch: `tradewind graphql-gateway index build | follow | check`.
import type { INestApplicationContext } from '@nestjs/common';
import { type Entity, indexedEntities } from '@tradewind/filter-engine';
import {
  addExamples,
  Metrics,
  OperatorError,
  positiveInteger,
  startMetricsServer,
  textTable,
  wholeNumberUpTo,
  type Command,
} from '@tradewind/service-kit';
import { Presets, SingleBar } from 'cli-progress';
import { AppConfig } from '../app.config.js';
import { AppEvents } from '../events.js';
import { compareNowAndThen } from './compare-now-and-then.js';
import { followChanges } from './follow-changes.js';
import { SearchIndexFeeders } from './search-index.feeders.js';

interface EntityOption {
  entity?: Entity;
}

interface FollowOptions extends EntityOption {
  metricsPort?: number;
  checkEveryHours?: number;
  checkSample: number;
}

const wrongIdsShown = 5;

export function addIndexCommands(program: Command, open: () => Promise<INestApplicationContext>): void {
  const index = program.command('index').description('the index of records in OpenSearch (OPENSEARCH_URL)');
  addExamples(
    index,
    'index build',
    'index build --entity company',
    'index follow',
    'index follow --metrics-port 9464 --check-every-hours 24',
    'index check',
    'index check --sample 10000',
  );
  const entityOption = ['--entity <name>', `one of ${indexedEntities.join(', ')}; all unless given`, toEntity] as const;
  index
    .command('build')
    .description('build beside the index in use, then take its place; goes on where it ended')
    .option(...entityOption)
    .action(async ({ entity }: EntityOption) => {
      const feeders = (await open()).get(SearchIndexFeeders);
      const signal = stopSignal();
      if (entity === undefined) await buildAll(feeders, signal);
      else await build(entity, feeders, signal);
    });
  index
    .command('follow')
    .description('write what changes to the index until told to stop; of several processes one writes')
    .option(...entityOption)
    .option('--metrics-port <port>', 'serve metrics there; none unless given', wholeNumberUpTo(65_535))
    .option(
      '--check-every-hours <hours>',
      'compare a sample with PostgreSQL as often; never unless given',
      positiveInteger,
    )
    .option('--check-sample <records>', 'about this many records of each entity', positiveInteger, 10_000)
    .action(async (options: FollowOptions) => follow(await open(), options));
  index
    .command('check')
    .description('compare the index with PostgreSQL and write what differs; exit code 1 when anything differed')
    .option('--sample <records>', 'about this many records, chosen at random; all unless given', positiveInteger)
    .option(...entityOption)
    .action(async ({ entity, sample }: EntityOption & { sample?: number }) =>
      check((await open()).get(SearchIndexFeeders), entitiesOf(entity), sample),
    );
}

/** One after the other; those that a stopped run has finished are not built again. */
async function buildAll(feeders: SearchIndexFeeders, signal: AbortSignal): Promise<void> {
  await feeders.useRun(async (run) => {
    for (const entity of indexedEntities.filter((each) => !run.left.includes(each)))
      print(`The index of ${entity} was built before the stop; \`--entity ${entity}\` builds it again.`);
    for (const entity of run.left) {
      await build(entity, feeders, signal);
      await run.finished(entity);
    }
  });
}

async function build(entity: Entity, feeders: SearchIndexFeeders, signal: AbortSignal): Promise<void> {
  const bar = new SingleBar(
    {
      format: `${entity.padEnd(8)} {bar} {percentage}% | {value}/{total} | {eta_formatted} left`,
      hideCursor: true,
      etaBuffer: 50,
      noTTYOutput: true,
      notTTYSchedule: 10_000,
    },
    Presets.shades_classic,
  );
  const isBuilt = await feeders
    .use(entity, (feeder) =>
      feeder.build(signal, ({ records, total }) => {
        if (!bar.isActive) bar.start(total, 0);
        bar.setTotal(total);
        bar.update(records);
      }),
    )
    .finally(() => bar.stop());
  if (isBuilt) print(`The index of ${entity} is built and in use.`);
  else if (signal.aborted) throw new OperatorError(`The build of ${entity} is stopped; the same command goes on.`);
  else throw new OperatorError(`Another process builds the index of ${entity}.`);
}

async function follow(
  app: INestApplicationContext,
  { entity: only, metricsPort, checkEveryHours, checkSample }: FollowOptions,
): Promise<void> {
  const entities = entitiesOf(only);
  const upToDateMs = new Map<Entity, number>();
  const events = app.get(AppEvents);
  events.gauge(
    'search_index_lag_seconds',
    'How long an index in OpenSearch that this process feeds has not been up to date; the longest of all entities',
    () => Math.max(0, ...[...upToDateMs.values()].map((atMs) => performance.now() - atMs)) / 1000,
  );
  const { HOST: host } = app.get(AppConfig);
  const server =
    metricsPort === undefined ? undefined : await startMetricsServer(app.get(Metrics), { host, port: metricsPort });
  const options = { feeders: app.get(SearchIndexFeeders), events, signal: stopSignal(), upToDateMs };
  try {
    const intervalMs = checkEveryHours === undefined ? undefined : checkEveryHours * 3_600_000;
    await Promise.all([
      ...entities.map((entity) => followChanges(entity, options)),
      ...(intervalMs === undefined
        ? []
        : entities.map((entity) => compareNowAndThen(entity, { ...options, intervalMs, sample: checkSample }))),
    ]);
  } finally {
    server?.close();
    server?.closeAllConnections();
  }
}

async function check(feeders: SearchIndexFeeders, entities: readonly Entity[], sample?: number): Promise<void> {
  const signal = stopSignal();
  const rows: string[][] = [];
  for (const entity of entities) {
    const { compared, wrongIds } = await feeders.use(entity, (feeder) => feeder.check(sample, signal));
    if (wrongIds.length > 0) process.exitCode = 1;
    const shown = wrongIds.slice(0, wrongIdsShown).join(', ') + (wrongIds.length > wrongIdsShown ? ', ...' : '');
    rows.push([entity, String(compared), String(wrongIds.length), shown]);
  }
  print(textTable(['entity', 'compared', 'repaired', 'ids'], rows, 'Nothing here: no entity is indexed.'));
  if (signal.aborted) throw new OperatorError('The comparison is stopped before its end.');
}

const entitiesOf = (entity?: Entity): readonly Entity[] => (entity ? [entity] : indexedEntities);

function toEntity(text: string): Entity {
  const entity = indexedEntities.find((each) => each === text);
  if (entity === undefined) throw new OperatorError(`--entity must be one of ${indexedEntities.join(', ')}`);
  return entity;
}

/** The first SIGTERM or SIGINT lets a command end in order; the second one ends the process. */
function stopSignal(): AbortSignal {
  const stop = new AbortController();
  for (const signal of ['SIGTERM', 'SIGINT'] as const) process.once(signal, () => stop.abort());
  return stop.signal;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
