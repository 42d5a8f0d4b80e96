// What operators can do: `node main.js user create ...`. Results go to standard output, one line or table each.
import { text } from 'node:stream/consumers';
import type { INestApplicationContext } from '@nestjs/common';
import { OperatorError, positiveInteger } from '@tradewind/service-kit';
import { userRoles } from '@tradewind/shared-types';
import { AuditStore } from './audit/audit.store.js';
import { Clients } from './operators/clients.service.js';
import type { OAuthClient } from './clients/oauth-client.entity.js';
import { serviceTokenCommands } from './operators/service-token.commands.js';
import { SigningKeys } from './signing-keys/signing-keys.service.js';
import { Users } from './operators/users.service.js';
import type { UserAccount } from './users/user-account.entity.js';

type Open = () => Promise<INestApplicationContext>;
/** commander's Command, as service-kit hands it in. */
type Program = Parameters<NonNullable<import('@tradewind/service-kit').ServiceDefinition['commands']>>[0];

export function addCommands(program: Program, open: Open): void {
  userCommands(program, open);
  clientCommands(program, open);
  keyCommands(program, open);
  auditCommands(program, open);
  serviceTokenCommands(program);
}

interface PasswordOptions {
  password?: string;
  passwordStdin?: boolean;
}

function userCommands(program: Program, open: Open): void {
  const user = program.command('user').description('people who sign in');
  const users = async (): Promise<Users> => (await open()).get(Users, { strict: false });

  user
    .command('create')
    .description('make a user; prints the id')
    .requiredOption('--email <address>')
    .option('--password <password>', 'visible in the process list: prefer --password-stdin')
    .option('--password-stdin', 'read the password from standard input')
    .option('--role <role>', userRoles.join(', '), 'USER')
    .option('--name <name>', 'full name')
    .option('--given-name <name>')
    .option('--family-name <name>')
    .option('--preferred-username <name>')
    .option('--company <id>', 'the one company that the user belongs to; none unless given')
    .option('--email-verified', 'the address is known to be theirs')
    .option('--if-missing', 'change nothing and succeed when the user exists')
    .action(async (options: PasswordOptions & Record<string, string | boolean | undefined>) => {
      const created = await (
        await users()
      ).create({
        email: String(options['email']),
        password: await passwordOf(options),
        role: String(options['role']),
        name: options['name'] as string | undefined,
        givenName: options['givenName'] as string | undefined,
        familyName: options['familyName'] as string | undefined,
        preferredUsername: options['preferredUsername'] as string | undefined,
        emailVerified: options['emailVerified'] === true,
        companyId: options['company'] as string | undefined,
      });
      if (!created && !options['ifMissing'])
        throw new OperatorError(`there is a user ${String(options['email'])} already`);
      print(created ? created.id : `${String(options['email'])} exists`);
    });
  user
    .command('set-password')
    .description('set a new password and end every session, token and API key of the user')
    .requiredOption('--email <address>')
    .option('--password <password>', 'visible in the process list: prefer --password-stdin')
    .option('--password-stdin', 'read the password from standard input')
    .action(async (options: PasswordOptions & { email: string }) => {
      await (await users()).setPassword(options.email, await passwordOf(options));
      print(`${options.email} has a new password`);
    });
  user
    .command('set-role')
    .description('change the role and end every session and token of the user')
    .requiredOption('--email <address>')
    .requiredOption('--role <role>', userRoles.join(', '))
    .action(async ({ email, role }: { email: string; role: string }) => {
      await (await users()).setRole(email, role);
      print(`${email} is ${role}; ${endedText}`);
    });
  user
    .command('set-company <email> [id]')
    .description('let the user belong to one company, or to none, and end every session and token of the user')
    .option('--none', 'the user belongs to no company')
    .action(async (email: string, id: string | undefined, { none }: { none?: boolean }) => {
      if ((id === undefined) !== (none === true)) throw new OperatorError('give either the id of a company or --none');
      await (await users()).setCompany(email, id ?? null);
      print(`${email} belongs to ${id === undefined ? 'no company' : `company ${id}`}; ${endedText}`);
    });
  user
    .command('disable')
    .description('end every session, grant, token and API key of the user and refuse new ones')
    .requiredOption('--email <address>')
    .action(async ({ email }: { email: string }) => {
      await (await users()).disable(email);
      print(`${email} is disabled`);
    });
  user
    .command('delete')
    .description('end everything that the user has, remove the account and free the address')
    .requiredOption('--email <address>')
    .action(async ({ email }: { email: string }) => {
      await (await users()).delete(email);
      print(`${email} is deleted`);
    });
  user
    .command('enable')
    .requiredOption('--email <address>')
    .action(async ({ email }: { email: string }) => {
      await (await users()).enable(email);
      print(`${email} is enabled`);
    });
  user
    .command('list')
    .option('--json', 'one JSON object for each user')
    .action(async ({ json }: { json?: boolean }) => printAll(await (await users()).list(), json, userLine));
}

function clientCommands(program: Program, open: Open): void {
  const client = program.command('client').description('OAuth clients');
  const clients = async (): Promise<Clients> => (await open()).get(Clients, { strict: false });

  client
    .command('create')
    .description('make a client; prints its id and its secret, which is shown by no other command')
    .option('--id <id>', 'client_id; random unless given')
    .option('--secret <secret>', 'client_secret; random unless given')
    .option('--name <name>', 'shown to users')
    .requiredOption('--redirect-uri <uris...>')
    .option('--grant-types <types...>', 'authorization_code, refresh_token', ['authorization_code', 'refresh_token'])
    .option(
      '--auth-method <method>',
      'client_secret_post, client_secret_basic, none or private_key_jwt',
      'client_secret_post',
    )
    .option('--scope <scopes>', 'scopes it may ask for, space separated; all unless given')
    .option('--introspects <audience>', 'a resource server: may introspect the tokens made for this audience')
    .option('--resource <uris...>', 'resources it may ask tokens for, besides the issuer itself')
    .option('--if-missing', 'change nothing and succeed when the client exists')
    .action(async (options: Record<string, string | string[] | boolean | undefined>) => {
      const created = await (
        await clients()
      ).create({
        id: options['id'] as string | undefined,
        secret: options['secret'] as string | undefined,
        name: options['name'] as string | undefined,
        redirectUris: options['redirectUri'] as string[],
        grantTypes: words(options['grantTypes'] as string[]),
        authMethod: options['authMethod'] as string,
        scope: options['scope'] as string | undefined,
        introspects: options['introspects'] as string | undefined,
        resources: options['resource'] as string[] | undefined,
      });
      if (!created && !options['ifMissing'])
        throw new OperatorError(`there is a client ${String(options['id'])} already`);
      if (!created) return print(`${String(options['id'])} exists`);
      print(`client_id ${created.clientId}`);
      if (created.clientSecret !== undefined) print(`client_secret ${created.clientSecret}`);
    });
  client
    .command('list')
    .option('--json', 'one JSON object for each client')
    .action(async ({ json }: { json?: boolean }) => printAll(await (await clients()).list(), json, clientLine));
  client
    .command('show <id>')
    .description('the metadata without the secret')
    .action(async (id: string) => {
      const found = await (await clients()).find(id);
      if (!found) throw new OperatorError(`there is no client ${id}`);
      print(JSON.stringify(found, null, 2));
    });
  client
    .command('allow-resource <id> <resource>')
    .description('let the client ask for tokens of a resource, one of OAUTH_RESOURCES')
    .action(async (id: string, resource: string) => {
      if (!(await (await clients()).allowResource(id, resource))) throw new OperatorError(`there is no client ${id}`);
      print(`${id} may ask for tokens of ${resource}`);
    });
  client
    .command('disallow-resource <id> <resource>')
    .description('no more tokens of the resource for the client; those it has live until they expire')
    .action(async (id: string, resource: string) => {
      if (!(await (await clients()).disallowResource(id, resource)))
        throw new OperatorError(`there is no client ${id}`);
      print(`${id} gets no more tokens of ${resource}`);
    });
  client
    .command('delete <id>')
    .description('remove a client with its grants and tokens')
    .action(async (id: string) => {
      if (!(await (await clients()).delete(id))) throw new OperatorError(`there is no client ${id}`);
      print(`${id} is deleted`);
    });
}

function keyCommands(program: Program, open: Open): void {
  const key = program.command('key').description('signing keys');
  const keys = async (): Promise<SigningKeys> => (await open()).get(SigningKeys, { strict: false });

  key.command('list').action(async () => {
    const all = await (await keys()).list();
    printAll(all, false, ({ kid, state, createdAt, activatedAt, expiresAt }) =>
      [
        kid,
        state,
        `created ${createdAt.toISOString()}`,
        activatedAt && `signs since ${activatedAt.toISOString()}`,
        expiresAt && `published until ${expiresAt.toISOString()}`,
      ]
        .filter(Boolean)
        .join('  '),
    );
  });
  key
    .command('rotate')
    .description('let the next key sign; replicas follow within SIGNING_KEY_POLL_SECONDS, no restart')
    .option('--force', 'even when the next key was published just now')
    .action(async ({ force }: { force?: boolean }) => {
      const { kid } = await (await keys()).rotate({ actor: 'operator', ...(force ? { force } : {}) });
      print(`${kid} signs now`);
    });
}

function auditCommands(program: Program, open: Open): void {
  program
    .command('audit')
    .description('who did what')
    .command('list')
    .description('newest first')
    .option('--user <id>', 'user id')
    .option('--client <id>', 'client_id')
    .option('--event <name>', 'for example login.failed')
    .option('--since <time>', 'ISO 8601')
    .option('--limit <rows>', 'at most this many', positiveInteger, 100)
    .option('--json', 'one JSON object for each event')
    .action(async (options: Record<string, string | boolean | undefined> & { limit: number }) => {
      const store = (await open()).get(AuditStore, { strict: false });
      const since = options['since'] === undefined ? undefined : new Date(String(options['since']));
      if (since && Number.isNaN(since.getTime())) throw new OperatorError('--since must be a time in ISO 8601');
      const events = await store.list({
        userId: options['user'] as string | undefined,
        clientId: options['client'] as string | undefined,
        event: options['event'] as string | undefined,
        since,
        limit: options.limit,
      });
      printAll(events, options['json'] === true, ({ at, event, userId, clientId, ip, details }) =>
        [
          at.toISOString(),
          event,
          userId && `user ${userId}`,
          clientId && `client ${clientId}`,
          ip && `ip ${ip}`,
          JSON.stringify(details),
        ]
          .filter(Boolean)
          .join('  '),
      );
    });
}

async function passwordOf({ password, passwordStdin }: PasswordOptions): Promise<string> {
  if (passwordStdin) return (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === undefined) throw new OperatorError('give --password-stdin or --password');
  return password;
}

const words = (values: string[]): string[] => values.flatMap((value) => value.split(/[\s,]+/)).filter(Boolean);

// A service that only checks signatures takes an access token until it expires.
const endedText =
  'every session and token ends; the pipelines may take an access token until it expires, 15 minutes at most';

const userLine = ({ id, email, userRole, companyId, disabledAt, name }: UserAccount): string =>
  [
    id,
    email,
    userRole,
    disabledAt ? `disabled ${disabledAt.toISOString()}` : 'active',
    companyId !== null && `company ${companyId}`,
    name,
  ]
    .filter(Boolean)
    .join('  ');

const clientLine = ({ clientId, metadata, origin, resources, createdAt, usedAt }: OAuthClient): string =>
  [
    clientId,
    metadata['client_name'],
    `by ${origin}`,
    resources.length > 0 && `for ${resources.join(', ')}`,
    `created ${createdAt.toISOString()}`,
    usedAt ? `used ${usedAt.toISOString()}` : 'never used',
  ]
    .filter(Boolean)
    .join('  ');

function printAll<T>(all: readonly T[], json: boolean | undefined, line: (one: T) => string): void {
  for (const one of all) print(json ? JSON.stringify(one) : line(one));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
