// Who may run an operator command: whoever has the machine and the settings. Every command against a missing setting.
import { randomBytes } from 'node:crypto';

/** What is read of commander's Command. */
interface CommandTree {
  name(): string;
  readonly commands: readonly CommandTree[];
  parseAsync(argv: readonly string[], options: { from: 'user' }): Promise<unknown>;
}

export interface CommandCheck {
  /** The commands of a service in this environment. */
  commands: (env: Record<string, string>) => Promise<{ program: CommandTree; close: () => Promise<void> }>;
  /** Settings that make production accept the service; without any one of them no command runs. */
  settings: readonly string[];
  /** Arguments of each command, such as `user create`. */
  argumentsOf: Record<string, string[]>;
  /** Commands that read no setting. */
  withoutSettings?: readonly string[];
}

/** What is wrong, a line each: a command without a row, a row without a command, a command that needs no setting. */
export async function commandFaults(check: CommandCheck): Promise<string[]> {
  const { commands, settings, argumentsOf, withoutSettings = [] } = check;
  const production = Object.fromEntries(settings.map((name) => [name, goodValueOf(name)]));
  const { program } = await commands({});
  const [found, known] = [namesOf(program), Object.keys(argumentsOf)];
  const faults = [
    ...found.filter((name) => !known.includes(name)).map((name) => `${name} has no row`),
    ...known.filter((name) => !found.includes(name)).map((name) => `${name} is no command`),
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

const namesOf = ({ commands }: CommandTree, prefix = ''): string[] =>
  commands.flatMap((one) =>
    one.commands.length === 0 ? [prefix + one.name()] : namesOf(one, `${prefix}${one.name()} `),
  );

/** What a command prints, and the settings that it refuses to run with. */
async function outcomeOf({ commands }: CommandCheck, argv: string[], env: Record<string, string>) {
  const { program, close } = await commands(env);
  const printed: string[] = [];
  const write = process.stdout.write.bind(process.stdout);
  // A command prints to the terminal.
  process.stdout.write = (text: string | Uint8Array) => printed.push(String(text)) > 0;
  try {
    await program.parseAsync(argv, { from: 'user' });
    return { output: printed.join(''), refused: [] };
  } catch (error) {
    const { faults, message } = error as Error & { faults?: { setting: string }[] };
    return { output: printed.join(''), refused: faults?.map(({ setting }) => setting) ?? [message] };
  } finally {
    process.stdout.write = write;
    await close();
  }
}
