import { text } from 'node:stream/consumers';
import { addExamples, byOperator, OperatorError, utcText } from '@tradewind/service-kit';
import { userRoles } from '@tradewind/shared-types';
import { languages } from '../pages/page-messages.js';
import type { UserAccount } from '../users/user-account.entity.js';
import { type ListDisplay, type Open, print, printList, type Program } from './command-line.js';
import { Users } from './users.service.js';

interface PasswordOptions {
  password?: string;
  passwordStdin?: boolean;
}

const mailLanguages = languages.map(({ language }) => language).join(', ');

interface InviteOptions {
  email: string;
  role: string;
  name?: string;
  company?: string;
  language?: string;
}

interface CreateOptions extends PasswordOptions {
  email: string;
  role: string;
  name?: string;
  givenName?: string;
  familyName?: string;
  preferredUsername?: string;
  company?: string;
  emailVerified?: boolean;
  ifMissing?: boolean;
}

// A service that only checks signatures accepts an access token until it expires.
const endedText =
  'every session and token ends; the pipelines may take an access token until it expires, 15 minutes at most';

export function userCommands(program: Program, open: Open): void {
  const user = program.command('user').description('people who sign in');
  addExamples(
    user,
    'user list',
    'user create --email ada@example.com --role ADMIN --password-stdin < password.txt',
    'user invite --email ada@example.com --role ANALYST',
    'user password-link --email ada@example.com',
    'user set-password --email ada@example.com --password-stdin < password.txt',
    'user set-role --email ada@example.com --role ANALYST',
    'user set-company ada@example.com acme',
    'user reset-second-factor --email ada@example.com',
    'user disable --email ada@example.com',
    'user enable --email ada@example.com',
    'user delete --email ada@example.com',
  );
  const users = async (): Promise<Users> => (await open()).get(Users, { strict: false });

  const create = user.command('create').description('make a user; prints the id');
  withPassword(create.requiredOption('--email <address>'))
    .option('--role <role>', userRoles.join(', '), 'USER')
    .option('--name <name>', 'full name')
    .option('--given-name <name>')
    .option('--family-name <name>')
    .option('--preferred-username <name>')
    .option('--company <id>', 'the one company that the user belongs to; none unless given')
    .option('--email-verified', 'the address is known to be theirs')
    .option('--if-missing', 'change nothing and print the id when the user exists')
    .action(async ({ company, emailVerified = false, ifMissing, ...given }: CreateOptions) => {
      const service = await users();
      const password = await passwordOf(given);
      const created = await service.create({ ...given, password, emailVerified, companyId: company });
      if (!created && !ifMissing) throw new OperatorError(`there is a user ${given.email} already`);
      print((created ?? (await service.findByEmail(given.email))).id);
    });
  user
    .command('invite')
    .description('make a user who sets the password with a link; it is mailed, or shown once where no mail is set')
    .requiredOption('--email <address>')
    .option('--role <role>', userRoles.join(', '), 'USER')
    .option('--name <name>', 'full name')
    .option('--company <id>', 'the one company that the user belongs to; none unless given')
    .option('--language <code>', `language of this mail and later ones: ${mailLanguages}; en unless given`)
    .action(async ({ company, ...given }: InviteOptions) => {
      const made = await (await users()).invite({ ...given, companyId: company });
      if (!made) throw new OperatorError(`there is a user ${given.email} already; make a link with user password-link`);
      print(linkText(given.email, made.link));
    });
  user
    .command('password-link')
    .description(
      'make a link with which the user sets a new password; it is mailed, or shown once where no mail is set',
    )
    .requiredOption('--email <address>')
    .option('--language <code>', `language of the mail: ${mailLanguages}; that of the user's last sign-in unless given`)
    .action(async ({ email, language }: { email: string; language?: string }) => {
      print(linkText(email, (await (await users()).makePasswordLink(email, byOperator, { language })).link));
    });
  const setPassword = user.command('set-password');
  withPassword(setPassword.requiredOption('--email <address>'))
    .description('set a new password and end every session, token and API key of the user')
    .action(async ({ email, ...given }: PasswordOptions & { email: string }) => {
      await (await users()).setPassword(email, await passwordOf(given));
      print(`${email} has a new password`);
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
    .command('reset-second-factor')
    .description(
      'remove the app, passkeys and recovery codes of whoever has lost them, and end every session and token',
    )
    .requiredOption('--email <address>')
    .action(async ({ email }: { email: string }) => {
      await (await users()).resetSecondFactor(email);
      print(`${email} has no second factor; ${endedText}`);
    });
  for (const { name, description } of [
    { name: 'disable', description: 'end every session, grant, token and API key of the user and refuse new ones' },
    { name: 'delete', description: 'end everything that the user has, remove the account and free the address' },
    { name: 'enable', description: 'let a disabled user sign in again' },
  ] as const) {
    user
      .command(name)
      .description(description)
      .requiredOption('--email <address>')
      .action(async ({ email }: { email: string }) => {
        await (await users())[name](email);
        print(`${email} is ${name}d`);
      });
  }
  user
    .command('list')
    .description('all users')
    .option('--json', 'one JSON object for each user')
    .action(async ({ json }: { json?: boolean }) => printList(await (await users()).list(), json, userList));
}

const linkText = (email: string, link: string | undefined): string =>
  link === undefined
    ? `a mail to ${email} is on its way`
    : `${link}\nIt works once, for a day. Give it to ${email} and to nobody else.`;

const withPassword = (command: Program): Program =>
  command
    .option('--password <password>', 'visible in the process list: prefer --password-stdin')
    .option('--password-stdin', 'read the password from standard input');

async function passwordOf({ password, passwordStdin }: PasswordOptions): Promise<string> {
  if (passwordStdin) return (await text(process.stdin)).replace(/\r?\n$/, '');
  if (password === undefined) throw new OperatorError('give --password-stdin or --password');
  return password;
}

const userList: ListDisplay<UserAccount> = {
  name: 'users',
  headings: ['id', 'email', 'role', 'company', 'disabled (UTC)', 'name'],
  cells: ({ id, email, userRole, companyId, disabledAt, name }) => [
    id,
    email,
    userRole,
    companyId,
    disabledAt && utcText(disabledAt),
    name,
  ],
};
