import { addExamples, utcText } from '@tradewind/service-kit';
import { SigningKeys } from '../signing-keys/signing-keys.service.js';
import type { SigningKey } from '../signing-keys/signing-key.entity.js';
import { type ListDisplay, type Open, print, printList, type Program } from './command-line.js';

export function keyCommands(program: Program, open: Open): void {
  const key = program.command('key').description('signing keys');
  addExamples(key, 'key list', 'key rotate');
  const keys = async (): Promise<SigningKeys> => (await open()).get(SigningKeys, { strict: false });

  key
    .command('list')
    .description('the keys that are published, and those that were')
    .action(async () => printList(await (await keys()).list(), false, keyList));
  key
    .command('rotate')
    .description('let the next key sign; replicas follow within SIGNING_KEY_POLL_SECONDS, no restart')
    .option('--force', 'even when the next key was published just now')
    .action(async ({ force = false }: { force?: boolean }) => {
      const { kid } = await (await keys()).rotate({ force });
      print(`${kid} signs now`);
    });
}

const keyList: ListDisplay<SigningKey> = {
  name: 'signing keys',
  headings: ['key id', 'state', 'created (UTC)', 'signs since (UTC)', 'published until (UTC)'],
  cells: ({ kid, state, createdAt, activatedAt, expiresAt }) => [
    kid,
    state,
    utcText(createdAt),
    activatedAt && utcText(activatedAt),
    expiresAt && utcText(expiresAt),
  ],
};
