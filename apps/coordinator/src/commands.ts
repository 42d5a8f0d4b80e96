// Operator commands: `tradewind coordinator run --month 2026-11`, likewise `runs`, `report`, `retry-missing`, `queue`.
import type { INestApplicationContext } from '@nestjs/common';
import { ensureTopology, TopologyMismatchError } from '@tradewind/cloud-ports';
import { addExamples, OperatorError, textTable, utcText, wholeNumberUpTo, type Command } from '@tradewind/service-kit';
import { isMonth, monthFault, monthOf, uuidPattern, type Month } from '@tradewind/shared-types';
import { AppConfig } from './app.config.js';
import { MonthReportService, type MonthCounts } from './month-report/month-report.service.js';
import { listLimitDefault, listLimitMax, profilesPerRunMax } from './runs/run-limits.js';
import { runDisplay } from './runs/run-display.js';
import type { Run } from './runs/run.entity.js';
import { runMessage, toRunDto } from './runs/runs.dto.js';
import { RunsService } from './runs/runs.service.js';

export function addCommands(program: Command, open: () => Promise<INestApplicationContext>): void {
  addExamples(
    program,
    'run --month 2026-11 --dry-run',
    'runs',
    'report --month 2026-11 --names',
    'retry-missing --month 2026-11',
    'queue ensure',
  );
  program
    .command('run')
    .option('--month <YYYY-MM>', 'month key; the current month (UTC) unless given', toMonth)
    .option('--force', 'publish again what this month has published already', false)
    .option('--dry-run', 'select and count, publish nothing', false)
    .option('--limit <N>', `most profiles to publish, at most ${profilesPerRunMax}`, wholeNumberUpTo(profilesPerRunMax))
    .description(
      'publish the priority people of the month in batches: those not published yet; resumes an unfinished run',
    )
    .action(async (options: RunCommandOptions) => run(await open(), options));

  program
    .command('runs')
    .option('--limit <N>', `most runs, at most ${listLimitMax}`, wholeNumberUpTo(listLimitMax), listLimitDefault)
    .option('--json', 'one JSON object for each run')
    .description('the latest runs')
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      const app = await open();
      const runs = (await app.get(RunsService).list({ limit })).map(({ run }) => run);
      if (json) for (const found of runs) print(JSON.stringify(toRunDto(found)));
      else print(runTable(runs));
    });

  program
    .command('report')
    .option('--month <YYYY-MM>', 'month key; the current month (UTC) unless given', toMonth)
    .option('--names', 'name every missing profile with its reason', false)
    .description('what is done and what is missing in a month; exit code 1 while anything is missing')
    .action(async ({ month, names }: { month?: Month; names: boolean }) =>
      report(await open(), month ?? monthOf(new Date()), names),
    );

  program
    .command('retry-missing')
    .option('--month <YYYY-MM>', 'month key; the current month (UTC) unless given', toMonth)
    .option('--dry-run', 'only show what would be started', false)
    .option('--plan <id>', 'name the retry; the same name again starts nothing more')
    .description(
      'start profiles of a month again that ended without success or are overdue; what is on its way or done is left alone, ' +
        'so asking again starts nothing more',
    )
    .action(async (options: RetryCommandOptions) => retryMissing(await open(), options));

  program
    .command('queue')
    .description('the topic, its dead letter and the push subscription')
    .command('ensure')
    .description('create what is missing; name what differs from the settings, and do not change it (exit code 1)')
    .action(async () => ensureQueue(await open()));
}

interface RetryCommandOptions {
  month?: Month;
  dryRun: boolean;
  plan?: string;
}

async function retryMissing(
  app: INestApplicationContext,
  { month = monthOf(new Date()), dryRun, plan }: RetryCommandOptions,
): Promise<void> {
  if (plan !== undefined && !uuidPattern.test(plan)) throw new OperatorError('--plan must be a UUID');
  const result = await app
    .get(MonthReportService)
    .retryMissing(
      month,
      { planId: plan, isDryRun: dryRun, requestedBy: 'operator' },
      ({ started, on_their_way, done, not_known }) =>
        print(`${started + on_their_way + done + not_known} profiles checked`),
    );
  print(
    [
      `Retry of ${month}, plan ${result.plan_id}`,
      `${(dryRun ? 'would start' : 'started').padEnd(14)} ${String(result.started).padStart(10)}`,
      `${'on their way'.padEnd(14)} ${String(result.on_their_way).padStart(10)}`,
      `${'done'.padEnd(14)} ${String(result.done).padStart(10)}`,
      `${'not known'.padEnd(14)} ${String(result.not_known).padStart(10)}`,
    ].join('\n'),
  );
}

interface RunCommandOptions {
  month?: Month;
  force: boolean;
  dryRun: boolean;
  limit?: number;
}

async function run(app: INestApplicationContext, options: RunCommandOptions): Promise<void> {
  const display = runDisplay(process.stdout);
  const begun = await app.get(RunsService).begin(
    {
      month: options.month ?? monthOf(new Date()),
      force: options.force,
      dryRun: options.dryRun,
      limit: options.limit,
      triggeredBy: 'operator',
    },
    display,
  );
  print(runMessage(begun));
  try {
    const finished = await begun.finished;
    display.end();
    if (begun.outcome === 'already_published' && finished.selected === 0)
      print(`Nobody is new in ${finished.month}: nothing new is published unless forced.`);
    else if (begun.run.state !== 'completed') printRun(finished);
  } finally {
    display.end();
  }
}

function printRun(run: Run): void {
  print(
    [
      `${run.dryRun ? 'Would publish' : 'Published'}: ${run.dryRun ? run.selected : run.publishedProfiles} profiles in ${run.totalBatches} batches`,
      `People read: ${run.peopleRead}; without username: ${run.withoutUsername}; unusable username: ${run.unusableUsernames}; ` +
        `repeated: ${run.duplicates}; published before: ${run.publishedBefore}`,
    ].join('\n'),
  );
}

function runTable(runs: readonly Run[]): string {
  return textTable(
    ['run', 'month', 'state', 'started (UTC)', 'by', 'selected', 'batches', 'error'],
    runs.map((run) => [
      run.runId,
      run.month,
      run.dryRun ? `${run.state}, dry run` : run.state,
      utcText(run.createdAt),
      run.triggeredBy,
      String(run.selected),
      `${run.publishedBatches} of ${run.totalBatches}`,
      run.lastError,
    ]),
    'Nothing here: there are no runs.',
  );
}

async function report(app: INestApplicationContext, month: Month, withNames: boolean): Promise<void> {
  let counts: MonthCounts | undefined;
  for await (const page of app.get(MonthReportService).report(month)) {
    counts = page.counts;
    if (!withNames) continue;
    for (const { network_username, person_id, reason } of page.missing)
      print(`missing ${network_username} (${person_id}): ${reason}`);
  }
  if (!counts) return;
  print(`Month ${month}`);
  for (const [name, value] of Object.entries(counts))
    print(`${name.replace('_', ' ').padEnd(10)} ${String(value).padStart(10)}`);
  if (counts.missing > 0) process.exitCode = 1;
}

async function ensureQueue(app: INestApplicationContext): Promise<void> {
  try {
    for (const { resource, outcome } of await ensureTopology(app.get(AppConfig))) print(`${outcome}  ${resource}`);
  } catch (error) {
    if (error instanceof TopologyMismatchError) throw new OperatorError(error.message);
    throw error;
  }
}

function toMonth(text: string): Month {
  if (isMonth(text)) return text;
  throw new OperatorError(`--month ${monthFault(text)}, not "${text}"`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
