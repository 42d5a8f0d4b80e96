// Operator commands: `tradewind priority-webhook profile status jane-doe`, `unusable list`.
import type { INestApplicationContext } from '@nestjs/common';
import { addExamples, positiveInteger, textTable, utcText, type Command } from '@tradewind/service-kit';
import { ProfilesService } from './profiles/profiles.service.js';
import type { UnusablePayload } from './unusable/unusable-payload.entity.js';
import { UnusablePayloadsStore } from './unusable/unusable-payloads.store.js';

/** Characters of a body that the table shows. */
const bodyWidth = 60;

export function addCommands(program: Command, open: () => Promise<INestApplicationContext>): void {
  const profile = program.command('profile').description('scraped profiles');
  addExamples(profile, 'profile status jane-doe', 'profile status https://network.example/in/jane-doe');
  profile
    .command('status')
    .argument('<username>', 'handle or profile address')
    .description('the latest stored call for a profile, as JSON')
    .action(async (username: string) => {
      const app = await open();
      print(await app.get(ProfilesService).getStatus(username));
    });

  const unusable = program.command('unusable').description('webhooks that named no profile');
  addExamples(unusable, 'unusable list', 'unusable list --limit 100 --json');
  unusable
    .command('list')
    .option('--limit <n>', 'most rows', positiveInteger, 20)
    .option('--json', 'one JSON object for each, with the whole body')
    .description('the latest unusable webhooks')
    .action(async ({ limit, json }: { limit: number; json?: boolean }) => {
      const app = await open();
      const store = app.get(UnusablePayloadsStore);
      const payloads: UnusablePayload[] = [];
      for (const { fingerprint } of await store.list({ limit })) {
        const payload = await store.find(fingerprint);
        if (payload && json) print(payload);
        else if (payload) payloads.push(payload);
      }
      if (!json) process.stdout.write(`${payloadTable(payloads)}\n`);
    });
}

function payloadTable(payloads: readonly UnusablePayload[]): string {
  return textTable(
    ['last received (UTC)', 'times', 'reason', 'body'],
    payloads.map(({ last_received_at, times, reason, body }) => {
      const text = JSON.stringify(body);
      const shown = text.length <= bodyWidth ? text : `${text.slice(0, bodyWidth - 1)}…`;
      return [utcText(last_received_at), String(times), reason, shown];
    }),
    'Nothing here: there are no unusable webhooks.',
  );
}

function print(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`);
}
