// Operator commands: `node main.js run --month 2026-11`, `node main.js report`, `node main.js retry-missing`.
import type { INestApplicationContext } from '@nestjs/common';
import { ensureTopology, TopologyMismatchError } from '@tradewind/cloud-ports';
import { OperatorError, positiveInteger, type Command } from '@tradewind/service-kit';
import { isMonth, monthOf, type Month } from '@tradewind/shared-types';
import { AppConfig } from './app.config.js';
import { MonthReportService, type MonthCounts } from './month-report/month-report.service.js';
import { runDisplay } from './runs/run-display.js';
import { runMessage } from './runs/run-message.js';
import type { Run } from './runs/run.types.js';
import { toRunDto } from './runs/runs.dto.js';
import { RunsService } from './runs/runs.service.js';

export function addCommands(program: Command, open: () => Promise<INestApplicationContext>): void {
  program
    .command('run')
    .option('--month <YYYY-MM>', 'month key; the current month (UTC) unless given', toMonth)
    .option('--force', 'publish again what this month has published already', false)
    .option('--dry-run', 'select and count, publish nothing', false)
    .option('--limit <N>', 'most profiles to publish', positiveInteger)
    .description(
      'select the priority people and publish their profiles in batches; resumes an unfinished run of the month',
    )
    .action(async (options: RunCommandOptions) => run(await open(), options));

  program
    .command('runs')
    .option('--limit <N>', 'most runs', positiveInteger, 20)
    .description('the latest runs, one JSON object per line')
    .action(async ({ limit }: { limit: number }) => {
      const app = await open();
      for (const found of await app.get(RunsService).list(limit)) print(JSON.stringify(toRunDto(found)));
    });

  program
    .command('report')
    .option('--month <YYYY-MM>', 'month key; the current month (UTC) unless given', toMonth)
    .option('--names', 'name every missing profile with its reason', false)
    .description('what of a month is done and what is missing; exit code 1 while anything is missing')
    .action(async ({ month, names }: { month?: Month; names: boolean }) =>
      report(await open(), month ?? monthOf(new Date()), names),
    );

  program
    .command('retry-missing')
    .option('--month <YYYY-MM>', 'month key; the current month (UTC) unless given', toMonth)
    .description('start the missing profiles of a month again; those on their way are left alone')
    .action(async ({ month = monthOf(new Date()) }: { month?: Month }) => {
      const app = await open();
      const retried = await app
        .get(MonthReportService)
        .retryMissing(month, ({ checked }) => print(`${checked} profiles checked`));
      print(`${retried} profiles of ${month} are started again`);
    });

  program
    .command('queue')
    .description('the topic, its dead letter and the push subscription')
    .command('ensure')
    .description(
      'create what is missing; what exists and differs from the settings is named and left alone (exit code 1)',
    )
    .action(async () => ensureQueue(await open()));
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
    },
    display,
  );
  print(runMessage(begun));
  try {
    const finished = await begun.finished;
    display.end();
    if (begun.outcome !== 'already_published') printRun(finished);
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
  throw new OperatorError(`--month must have the form YYYY-MM, not "${text}"`);
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
