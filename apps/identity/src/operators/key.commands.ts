import { SigningKeys } from '../signing-keys/signing-keys.service.js';
import type { SigningKey } from '../signing-keys/signing-key.entity.js';
import { joined, type Open, print, printAll, type Program } from './command-line.js';

export function keyCommands(program: Program, open: Open): void {
  const key = program.command('key').description('signing keys');
  const keys = async (): Promise<SigningKeys> => (await open()).get(SigningKeys, { strict: false });

  key.command('list').action(async () => printAll(await (await keys()).list(), false, keyLine));
  key
    .command('rotate')
    .description('let the next key sign; replicas follow within SIGNING_KEY_POLL_SECONDS, no restart')
    .option('--force', 'even when the next key was published just now')
    .action(async ({ force = false }: { force?: boolean }) => {
      const { kid } = await (await keys()).rotate({ actor: 'operator', force });
      print(`${kid} signs now`);
    });
}

const keyLine = ({ kid, state, createdAt, activatedAt, expiresAt }: SigningKey): string =>
  joined(
    kid,
    state,
    `created ${createdAt.toISOString()}`,
    activatedAt && `signs since ${activatedAt.toISOString()}`,
    expiresAt && `published until ${expiresAt.toISOString()}`,
  );
