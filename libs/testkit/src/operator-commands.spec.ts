// Each fault that the tests of operator commands look for is planted in a small program, and must be found.
import { beforeEach, expect, it } from '@jest/globals';
import { commandFaults } from './operator-commands.js';

const settings = ['ENVIRONMENT', 'APP_DATABASE_URL', 'SERVICE_TOKEN'];
const goodPassword = 'of the tests';
const databaseUrl = `postgres://app:${encodeURIComponent(goodPassword)}@127.0.0.1:5432/app`;
const argumentsOf: Record<string, string[]> = { serve: [], 'user create': ['ada'], version: [] };

/** What a command does; a fault of the class is planted by doing something else. */
type Command = (env: Record<string, string>) => void;

/** Settings first, then the password of the database, and only then its work. */
const sound: Command = (env) => {
  const missing = settings.filter((setting) => env[setting] === undefined);
  if (missing.length > 0) {
    throw Object.assign(new Error('refused'), { faults: missing.map((setting) => ({ setting })) });
  }
  const password = decodeURIComponent(new URL(env['APP_DATABASE_URL']!).password);
  if (password !== goodPassword) throw new Error('password authentication failed for user "app"');
  print('done');
};
const print = (text: string) => process.stdout.write(text);

let commands: Record<string, Command>;
/** Names of commands whose help ends with an example. */
let withExample: string[];
beforeEach(() => {
  withExample = ['user create', 'user delete', 'version'];
  commands = { serve: sound, 'user create': sound, version: () => print('1.0.0') };
});

interface Tree {
  name(): string;
  commands: Tree[];
  parseAsync(argv: readonly string[]): Promise<void>;
  outputHelp(): void;
}

function programOf(env: Record<string, string>): Tree {
  const leaf = (name: string, inner: Tree[] = [], path = name): Tree => ({
    ...{ name: () => name, commands: inner },
    async parseAsync(argv) {
      const found = Object.keys(commands).find((one) => `${argv.join(' ')} `.startsWith(`${one} `));
      commands[found!]!(env);
    },
    outputHelp: () =>
      print(`Usage: app ${path}\n${withExample.includes(path) ? `\nExamples:\n  app ${path} ada\n` : ''}`),
  });
  const names = Object.keys(commands);
  const groups = new Set(names.filter((name) => name.includes(' ')).map((name) => name.split(' ')[0]!));
  return leaf('app', [
    ...names.filter((name) => !name.includes(' ')).map((name) => leaf(name)),
    ...[...groups].map((group) =>
      leaf(
        group,
        names.filter((name) => name.startsWith(`${group} `)).map((name) => leaf(name.split(' ')[1]!, [], name)),
      ),
    ),
  ]);
}

const faults = (changes: Partial<Parameters<typeof commandFaults>[0]> = {}) =>
  commandFaults({
    commands: async (env) => ({ program: programOf(env), close: async () => undefined }),
    ...{ settings, databaseUrl, argumentsOf, withoutSettings: ['version'] },
    ...changes,
  });

it('finds nothing in a sound program', async () => {
  expect(await faults()).toEqual([]);
});

it.each<[string, Command, string[]]>([
  [
    'a command that runs without a setting',
    (env) => sound({ SERVICE_TOKEN: 'a default', ...env }),
    [expect.stringContaining('user create without SERVICE_TOKEN: refuses for [password') as unknown as string],
  ],
  [
    'a command that does its work before it refuses',
    (env) => {
      print('ada');
      sound(env);
    },
    [
      'user create with a wrong password: refuses for [password authentication failed for user "app"] and prints "ada"',
      ...settings.map((setting) => `user create without ${setting}: refuses for [${setting}] and prints "ada"`),
    ],
  ],
  [
    'a command that takes a wrong password',
    (env) => {
      const { APP_DATABASE_URL: given } = env;
      sound(given === undefined ? env : { ...env, APP_DATABASE_URL: databaseUrl });
    },
    ['user create with a wrong password: refuses for [] and prints "done"'],
  ],
  [
    'a command that answers a wrong password with something else',
    (env) => {
      try {
        sound(env);
      } catch (error) {
        throw (error as { faults?: unknown }).faults === undefined ? new Error('at connect (pool.js:1:2)') : error;
      }
    },
    ['user create with a wrong password: refuses for [at connect (pool.js:1:2)] and prints ""'],
  ],
])('finds %s', async (_what, command, expected) => {
  commands['user create'] = command;
  expect(await faults()).toEqual(expected);
});

it('finds a command without a row, and a row without a command', async () => {
  commands['user delete'] = sound;
  expect(await faults()).toEqual(['user delete has no row']);
  expect(await faults({ argumentsOf: { ...argumentsOf, 'user delete': [], 'key make': [] } })).toContain(
    'key make is no command',
  );
});

it('finds a command whose help has no example', async () => {
  withExample = ['version'];
  expect(await faults()).toEqual(['user create has no example in its help']);
});

it('finds a setting that production needs and the test does not name, and the reverse', async () => {
  expect(await faults({ settings: settings.slice(1) })).toEqual([
    `the settings that production needs are ${settings.join()}`,
  ]);
  expect(await faults({ settings: [...settings, 'OTHER'] })).toHaveLength(1);
});

it('finds a command that is said to need no settings, and needs some', async () => {
  commands['version'] = sound;
  expect(await faults()).toEqual(['version needs settings']);
});
