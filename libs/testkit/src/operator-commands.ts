// Who may run an operator command: whoever has the machine and the settings. Every command against a missing setting
// and against a wrong password of the database.
import { randomBytes } from 'node:crypto';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** What is read of commander's Command. */
interface CommandTree {
  name(): string;
  readonly commands: readonly CommandTree[];
  outputHelp(): void;
  parseAsync(argv: readonly string[], options: { from: 'user' }): Promise<unknown>;
}

export interface CommandCheck {
  /** The commands of a service in this environment. */
  commands: (env: Record<string, string>) => Promise<{ program: CommandTree; close: () => Promise<void> }>;
  /** Settings that make production accept the service; without any one of them no command runs. */
  settings: readonly string[];
  /** A database that answers. With another password no command runs. */
  databaseUrl: string;
  /** Arguments of each command, such as `user create`. */
  argumentsOf: Record<string, string[]>;
  /** Commands that read no setting. */
  withoutSettings?: readonly string[];
}

/**
 * What is wrong, a line each: a command without a row, or a row without a command. Or the help of a command has no
 * example, it needs no setting, or it prints anything but the refusal of a wrong password.
 */
export async function commandFaults(check: CommandCheck): Promise<string[]> {
  const { commands, settings, argumentsOf, withoutSettings = [] } = check;
  const production = Object.fromEntries(settings.map((name) => [name, goodValueOf(name)]));
  const { program } = await commands({});
  const [found, known] = [namesOf(program), Object.keys(argumentsOf)];
  const faults = [
    ...found.filter((name) => !known.includes(name)).map((name) => `${name} has no row`),
    ...known.filter((name) => !found.includes(name)).map((name) => `${name} is no command`),
    ...found.filter((name) => !hasExample(program, name)).map((name) => `${name} has no example in its help`),
  ];
  const { refused: missing } = await outcomeOf(check, ['serve'], {});
  if (missing.toSorted().join() !== settings.toSorted().join())
    return [...faults, `the settings that production needs are ${missing.join()}`];
  for (const [name, given] of Object.entries(argumentsOf)) {
    const argv = [...name.split(' '), ...given];
    if (withoutSettings.includes(name)) {
      const { output } = await outcomeOf(check, argv, {});
      if (output === '') faults.push(`${name} needs settings`);
      continue;
    }
    const { output, refused } = await outcomeOf(check, argv, withWrongPassword(production, check.databaseUrl));
    if (output !== '' || !/^password authentication failed for user "\w+"$/.test(refused.join()))
      faults.push(`${name} with a wrong password: refuses for [${refused.join()}] and prints "${output}"`);
    for (const setting of settings) {
      const { [setting]: _missing, ...env } = production;
      const { output, refused } = await outcomeOf(check, argv, env);
      if (output !== '' || refused.join() !== setting)
        faults.push(`${name} without ${setting}: refuses for [${refused.join()}] and prints "${output}"`);
    }
  }
  return faults;
}

function goodValueOf(setting: string): string {
  if (setting === 'ENVIRONMENT') return 'production';
  const secret = randomBytes(24).toString('base64url');
  if (setting.endsWith('DATABASE_URL')) return `postgres://app:${secret}@database.example/app`;
  return /_URL$|^OAUTH_ISSUER$/.test(setting) ? 'https://service.example' : secret;
}

/** Settings of dev, because production would refuse a database of this machine. */
function withWrongPassword(production: Record<string, string>, databaseUrl: string): Record<string, string> {
  const url = new URL(databaseUrl);
  url.password = randomBytes(24).toString('base64url');
  const databases = Object.keys(production).filter((name) => name.endsWith('DATABASE_URL'));
  return {
    ...production,
    ...Object.fromEntries(databases.map((name) => [name, url.href])),
    ...{ ENVIRONMENT: 'dev', LOG_LEVEL: 'silent' },
    ...('OBJECT_STORE_DIR' in production ? { OBJECT_STORE_DIR: join(tmpdir(), 'tradewind-refused-command') } : {}),
  };
}

/** Without `batch`, which does nothing but run others. */
const namesOf = ({ commands }: CommandTree, prefix = ''): string[] =>
  commands
    .filter((one) => prefix !== '' || one.name() !== 'batch')
    .flatMap((one) => (one.commands.length === 0 ? [prefix + one.name()] : namesOf(one, `${prefix}${one.name()} `)));

/** Commands that every service has need none. */
function hasExample(program: CommandTree, name: string): boolean {
  if (name === 'serve' || name === 'migrate') return true;
  const find = (tree: CommandTree, word: string) => tree.commands.find((one) => one.name() === word)!;
  const command = name.split(' ').reduce(find, program);
  const { printed, restore } = interceptOutput();
  command.outputHelp();
  restore();
  return printed.join('').includes(`\nExamples:\n  ${program.name()} ${name}`);
}

/** What a command prints, and the settings that it refuses to run with. */
async function outcomeOf({ commands }: CommandCheck, argv: string[], env: Record<string, string>) {
  const { program, close } = await commands(env);
  const { printed, restore } = interceptOutput();
  try {
    await program.parseAsync(argv, { from: 'user' });
    return { output: printed.join(''), refused: [] };
  } catch (error) {
    const { faults, message } = error as Error & { faults?: { setting: string }[] };
    return { output: printed.join(''), refused: faults?.map(({ setting }) => setting) ?? [message] };
  } finally {
    restore();
    await close();
  }
}

/** A command prints to the terminal. */
function interceptOutput() {
  const printed: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  process.stdout.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  return { printed, restore: () => void (process.stdout.write = write) };
}
