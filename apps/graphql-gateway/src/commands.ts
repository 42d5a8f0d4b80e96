// Operator commands: `tradewind graphql-gateway key list | show | revoke | audit`, and those of search-index. A key
// itself is never shown, because it is not stored. Keys are named by id, by their first 8 characters, or in full.
import type { INestApplicationContext } from '@nestjs/common';
import {
  addExamples,
  byOperator,
  OperatorError,
  positiveInteger,
  textTable,
  utcText,
  type Command,
} from '@tradewind/service-kit';
import { Clock } from './clock.js';
import { ApiKeysService } from './api-keys/api-keys.service.js';
import { keyStateOf, type ApiKey } from './api-keys/api-key.entity.js';
import type { AuditEntry } from './api-keys/audit-entry.entity.js';
import { AuditLogStore } from './api-keys/audit-log.store.js';
import { addIndexCommands } from './search-index/search-index.commands.js';

export function addCommands(program: Command, open: () => Promise<INestApplicationContext>): void {
  addIndexCommands(program, open);
  const key = program.command('key').description('API keys of the data API');
  addExamples(
    key,
    'key list --user ada@example.com',
    'key show svc_1a2b',
    'key audit svc_1a2b',
    'key revoke svc_1a2b',
    'key revoke --user ada@example.com',
  );
  key
    .command('list')
    .description('keys of all users, or of one; newest first')
    .option('--user <email-or-id>', 'only the keys of this user')
    .option('--json', 'as JSON lines')
    .action(async ({ user, json }: { user?: string; json?: boolean }) => {
      const app = await open();
      const now = app.get(Clock).now();
      const all: ApiKey[] = [];
      for await (const page of app.get(ApiKeysService).pages({ user })) {
        if (json) for (const each of page) print(JSON.stringify(shownKey(each, now)));
        else all.push(...page);
      }
      if (!json) print(keyTable(all, now));
    });
  key
    .command('show <id-or-key>')
    .description('everything that is known about a key')
    .action(async (idOrPrefix: string) => {
      const app = await open();
      for (const each of await findKeys(app, idOrPrefix))
        print(JSON.stringify(shownKey(each, app.get(Clock).now()), null, 2));
    });
  key
    .command('revoke [id-or-key]')
    .description('revoke a key, or all keys of a user; they stop working within seconds and for good')
    .option('--user <email-or-id>', 'every key of this user')
    .action(async (name: string | undefined, { user }: { user?: string }) => {
      if ((name === undefined) === (user === undefined)) throw new OperatorError('give either a key or --user');
      const app = await open();
      const service = app.get(ApiKeysService);
      const keys = name === undefined ? await keysOfUser(app, user!) : await findKeys(app, name);
      if (name !== undefined && keys.length > 1)
        throw new OperatorError(`${keys.length} keys begin with ${name}; revoke by id`);
      for (const each of keys) {
        print((await service.revoke(each, byOperator)) ? `Revoked ${each.id}.` : `${each.id} was revoked already.`);
      }
    });
  key
    .command('audit <id-or-key>')
    .description('what happened to a key, oldest first')
    .option('--limit <rows>', 'at most this many of the last rows', positiveInteger, 100)
    .action(async (idOrPrefix: string, { limit }: { limit: number }) => {
      const app = await open();
      const entries: AuditEntry[] = [];
      for (const each of await findKeys(app, idOrPrefix))
        entries.push(...(await app.get(AuditLogStore).listOfKey(each.id, { limit })).reverse());
      print(auditTable(entries));
    });
}

async function findKeys(app: INestApplicationContext, name: string): Promise<ApiKey[]> {
  const keys = await app.get(ApiKeysService).listNamed(name);
  // It may be a whole key, so a long name is not printed.
  if (keys.length === 0)
    throw new OperatorError(
      `No key is ${name.length > 36 ? 'that' : name}; name one by its id, its first 8 characters or the whole key`,
    );
  return keys;
}

async function keysOfUser(app: INestApplicationContext, user: string): Promise<ApiKey[]> {
  const keys: ApiKey[] = [];
  for await (const page of app.get(ApiKeysService).pages({ user })) keys.push(...page);
  if (keys.length === 0) throw new OperatorError(`The user ${user} has no keys`);
  return keys;
}

function shownKey(key: ApiKey, now: Date) {
  const { hash: _hash, ...shown } = key;
  return { ...shown, state: keyStateOf(key, now) };
}

function keyTable(keys: readonly ApiKey[], now: Date): string {
  return textTable(
    ['id', 'begins', 'state', 'until', 'last used', 'user', 'name'],
    keys.map((key) => [
      key.id,
      key.prefix,
      keyStateOf(key, now),
      key.expiresAt.toISOString().slice(0, 10),
      key.lastUsedAt?.toISOString().slice(0, 10) ?? null,
      key.userEmail,
      key.name,
    ]),
    'Nothing here: there are no keys.',
  );
}

function auditTable(entries: readonly AuditEntry[]): string {
  return textTable(
    ['at (UTC)', 'outcome', 'key', 'user', 'ip', 'times', 'operation', 'by'],
    entries.map(({ at, outcome, keyId, userId, ip, occurrences = 1, operationName, changedBy }) => [
      utcText(at),
      outcome,
      keyId,
      userId,
      ip,
      String(occurrences),
      operationName,
      changedBy ?? null,
    ]),
    'Nothing here: nothing has happened to the key yet.',
  );
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
