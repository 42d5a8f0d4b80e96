// Operator commands: `node main.js profile status jane-doe`, `node main.js unusable list`.
import type { INestApplicationContext } from '@nestjs/common';
import { positiveInteger, type Command } from '@tradewind/service-kit';
import { ProfilesService } from './profiles/profiles.service.js';
import { UnusablePayloadsStore } from './unusable/unusable-payloads.store.js';

export function addCommands(program: Command, open: () => Promise<INestApplicationContext>): void {
  const profile = program.command('profile').description('scraped profiles');
  profile
    .command('status')
    .argument('<username>', 'handle or profile address')
    .description('the latest stored call for a profile, as JSON')
    .action(async (username: string) => {
      const app = await open();
      print(await app.get(ProfilesService).getStatus(username));
    });

  const unusable = program.command('unusable').description('webhooks that named no profile');
  unusable
    .command('list')
    .option('--limit <n>', 'most rows', positiveInteger, 20)
    .description('the latest unusable webhooks, one JSON object per line')
    .action(async ({ limit }: { limit: number }) => {
      const app = await open();
      for (const payload of await app.get(UnusablePayloadsStore).list(limit)) print(payload);
    });
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
