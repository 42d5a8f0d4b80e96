// Operator commands: `node main.js dead-letter list`, `dead-letter redrive 7`, `profiles retry-missing --month 2026-11`.
import type { INestApplicationContext } from '@nestjs/common';
import { positiveInteger, type Command } from '@tradewind/service-kit';
import { monthOf } from '@tradewind/shared-types';
import { DeadLetterRedrive } from './dead-letters/dead-letter-redrive.js';
import { DeadLettersService } from './dead-letters/dead-letters.service.js';
import { MonthsService } from './months/months.service.js';

export function addCommands(program: Command, open: () => Promise<INestApplicationContext>): void {
  const deadLetter = program.command('dead-letter').description('messages that could not be used');
  deadLetter
    .command('list')
    .option('--limit <n>', 'most rows', positiveInteger, 20)
    .option('--all', 'those already redriven too', false)
    .description('the latest dead letters, one JSON object per line')
    .action(async ({ limit, all }: { limit: number; all: boolean }) => {
      const app = await open();
      for (const letter of await app.get(DeadLettersService).list({ limit, withRedriven: all })) print(letter);
    });
  deadLetter
    .command('redrive')
    .argument('[id]', 'one dead letter; all that are open unless given')
    .option('--limit <n>', 'most rows', positiveInteger, 1000)
    .description('take dead letters in again')
    .action(async (id: string | undefined, { limit }: { limit: number }) => {
      const app = await open();
      const redrive = app.get(DeadLetterRedrive);
      let failures = 0;
      const results = id === undefined ? redrive.redriveAll(limit) : [await redrive.redrive(id)];
      for await (const result of results) {
        print(result);
        if (!result.redriven) failures += 1;
      }
      if (failures > 0) process.exitCode = 1;
    });

  const profiles = program.command('profiles').description('profiles of a month');
  profiles
    .command('retry-missing')
    .option('--month <YYYY-MM>', 'the month', monthOf(new Date()))
    .option('--dry-run', 'only tell what would be started', false)
    .description(
      'start again what ended without success or is overdue (RETRY_OVERDUE_SECONDS); what is on its way or done is left alone, ' +
        'so asking twice starts nothing more; the serving process does the starting',
    )
    .action(async ({ month, dryRun }: { month: string; dryRun: boolean }) => {
      const app = await open();
      print(await app.get(MonthsService).retryMissing(month, { isDryRun: dryRun }));
    });
  profiles
    .command('count')
    .option('--month <YYYY-MM>', 'the month', monthOf(new Date()))
    .description('profiles of a month by state')
    .action(async ({ month }: { month: string }) => {
      const app = await open();
      print({ month, profiles: await app.get(MonthsService).count(month) });
    });
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
