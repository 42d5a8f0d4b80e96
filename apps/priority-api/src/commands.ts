// Operator commands: `tradewind priority-api dead-letter list`, `dead-letter show 7`, `dead-letter redrive 7`,
// `profiles retry-missing --month 2026-11`.
import type { INestApplicationContext } from '@nestjs/common';
import { addExamples, byOperator, OperatorError, wholeNumberUpTo, type Command } from '@tradewind/service-kit';
import { isMonth, monthFault, monthOf, type Month } from '@tradewind/shared-types';
import { DeadLetterRedrive } from './batches/dead-letter-redrive.js';
import { deadLetterDetails, deadLetterTable } from './dead-letters/dead-letter-display.js';
import { DeadLettersService, isDeadLetterId } from './dead-letters/dead-letters.service.js';
import { MonthsService } from './months/months.service.js';

/** Dead letters of one page, or of one command, which a person looks through. */
const rowsMax = 1_000;

export function addCommands(program: Command, open: () => Promise<INestApplicationContext>): void {
  const deadLetter = program.command('dead-letter').description('messages that could not be used');
  addExamples(
    deadLetter,
    'dead-letter list',
    'dead-letter show 7',
    'dead-letter redrive 7',
    'dead-letter drop 7 --reason test',
  );
  deadLetter
    .command('list')
    .option('--limit <n>', `most rows, at most ${rowsMax}`, wholeNumberUpTo(rowsMax), 20)
    .option('--after <id>', 'the page after this dead letter', toDeadLetterId)
    .option('--all', 'include those that were redriven or dropped', false)
    .description('dead letters as a table, the latest first')
    .action(async ({ limit, after, all }: { limit: number; after?: string; all: boolean }) => {
      const app = await open();
      const page = await app.get(DeadLettersService).listWhole({ limit, after, withHandled: all });
      process.stdout.write(`${deadLetterTable(page, all)}\n`);
    });
  deadLetter
    .command('show')
    .argument('<id>', 'one dead letter')
    .description('everything about one dead letter, its content decoded')
    .action(async (id: string) => {
      const app = await open();
      const letter = await app.get(DeadLettersService).find(id);
      if (!letter) throw new OperatorError(`there is no dead letter "${id}"`);
      process.stdout.write(`${deadLetterDetails(letter)}\n`);
    });
  deadLetter
    .command('redrive')
    .argument('[id]', 'one dead letter; all that are open unless given')
    .option('--limit <n>', `most rows, at most ${rowsMax}`, wholeNumberUpTo(rowsMax), rowsMax)
    .description('receive dead letters again')
    .action(async (id: string | undefined, { limit }: { limit: number }) => {
      const app = await open();
      const redrive = app.get(DeadLetterRedrive);
      let failures = 0;
      const results =
        id === undefined ? redrive.tryRedriveAll(limit, byOperator) : [await redrive.tryRedrive(id, byOperator)];
      for await (const result of results) {
        print(result);
        if (!result.redriven) failures += 1;
      }
      if (failures > 0) process.exitCode = 1;
    });

  deadLetter
    .command('drop')
    .argument('<id>', 'one dead letter')
    .requiredOption('--reason <text>', 'why it shall not be received again')
    .description('put one aside for good')
    .action(async (id: string, { reason }: { reason: string }) => {
      const app = await open();
      await app.get(DeadLettersService).drop(id, { reason, by: byOperator.by });
      print({ id, dropped: true });
    });

  const profiles = program.command('profiles').description('profiles of a month');
  addExamples(profiles, 'profiles count --month 2026-11', 'profiles retry-missing --month 2026-11 --dry-run');
  profiles
    .command('retry-missing')
    .option('--month <YYYY-MM>', 'the month', toMonth, monthOf(new Date()))
    .option('--dry-run', 'only show what would be started', false)
    .description(
      'start again what ended without success or is overdue (RETRY_OVERDUE_SECONDS); what is on its way or done is left alone, ' +
        'so asking twice starts nothing more; the serving process does the starting',
    )
    .action(async ({ month, dryRun }: { month: string; dryRun: boolean }) => {
      const app = await open();
      print(await app.get(MonthsService).retryMissing(month, { isDryRun: dryRun, requestedBy: 'operator' }));
    });
  profiles
    .command('count')
    .option('--month <YYYY-MM>', 'the month', toMonth, monthOf(new Date()))
    .description('profiles of a month by state')
    .action(async ({ month }: { month: string }) => {
      const app = await open();
      print({ month, profiles: await app.get(MonthsService).count(month) });
    });
}

function toMonth(text: string): Month {
  if (isMonth(text)) return text;
  throw new OperatorError(`--month ${monthFault(text)}, not "${text}"`);
}

function toDeadLetterId(text: string): string {
  if (isDeadLetterId(text)) return text;
  throw new OperatorError(`--after must be the id of a dead letter, not "${text}"`);
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
