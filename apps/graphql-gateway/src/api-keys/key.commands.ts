// Operator commands: `node main.js key list | show | revoke | audit`. A key itself is never shown; nobody has it.
import type { INestApplicationContext } from '@nestjs/common';
import { OperatorError, positiveInteger, type ServiceDefinition } from '@tradewind/service-kit';
import { Clock } from '../clock.js';
import { ApiKeysService } from './api-keys.service.js';
import type { ApiKey } from './api-keys.types.js';
import { AuditLogStore } from './audit-log.store.js';

export const keyCommands: NonNullable<ServiceDefinition['commands']> = (program, open) => {
  const key = program.command('key').description('API keys of the data API');
  key
    .command('list')
    .description('keys of all users, or of one; newest first')
    .option('--user <email-or-id>', 'only the keys of this user')
    .option('--json', 'as JSON lines')
    .action(async ({ user, json }: { user?: string; json?: boolean }) => {
      const app = await open();
      const now = app.get(Clock).now();
      const keys = await app.get(ApiKeysService).list(user === undefined ? {} : { user });
      for (const each of keys) print(json ? JSON.stringify(shownKey(each, now)) : keyLine(each, now));
      if (keys.length === 0 && !json) print('No keys.');
    });
  key
    .command('show <id-or-prefix>')
    .description('everything that is known of a key')
    .action(async (idOrPrefix: string) => {
      const app = await open();
      for (const each of await findKeys(app, idOrPrefix))
        print(JSON.stringify(shownKey(each, app.get(Clock).now()), null, 2));
    });
  key
    .command('revoke <id-or-prefix>')
    .description('revoke a key for good; it stops working within seconds')
    .action(async (idOrPrefix: string) => {
      const app = await open();
      const keys = await findKeys(app, idOrPrefix);
      if (keys.length > 1) throw new OperatorError(`${keys.length} keys begin with ${idOrPrefix}; revoke by id`);
      const changed = await app.get(ApiKeysService).revoke(keys[0]!);
      print(changed ? `Revoked ${keys[0]!.id}.` : `${keys[0]!.id} was revoked already.`);
    });
  key
    .command('audit <id-or-prefix>')
    .description('what happened with a key, oldest first')
    .option('--limit <rows>', 'at most this many of the last rows', positiveInteger, 100)
    .action(async (idOrPrefix: string, { limit }: { limit: number }) => {
      const app = await open();
      for (const each of await findKeys(app, idOrPrefix)) {
        for (const entry of await app.get(AuditLogStore).listOfKey(each.id, limit)) {
          print(
            [
              entry.at.toISOString(),
              entry.outcome,
              entry.keyId,
              entry.userId,
              entry.ip ?? '-',
              entry.operationName ?? '-',
              ...(entry.occurrences === 1 ? [] : [`${entry.occurrences} times`]),
            ].join('  '),
          );
        }
      }
    });
};

async function findKeys(app: INestApplicationContext, idOrPrefix: string): Promise<ApiKey[]> {
  const keys = await app.get(ApiKeysService).list({ idOrPrefix });
  if (keys.length === 0) throw new OperatorError(`No key has the id or prefix ${idOrPrefix}`);
  return keys;
}

function stateOf(key: ApiKey, now: Date): 'active' | 'revoked' | 'expired' {
  if (key.revokedAt) return 'revoked';
  return key.expiresAt <= now ? 'expired' : 'active';
}

function shownKey({ hash: _hash, ...key }: ApiKey, now: Date) {
  return { ...key, state: stateOf({ ...key, hash: _hash }, now) };
}

function keyLine(key: ApiKey, now: Date): string {
  const until = key.expiresAt.toISOString().slice(0, 10);
  return [key.id, key.prefix.padEnd(8), stateOf(key, now).padEnd(7), `until ${until}`, key.userEmail, key.name].join(
    '  ',
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
