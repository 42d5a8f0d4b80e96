// Operators copy commands from the pages, often in a hurry. Each must exist in the named program, with the options
// shown. The app's own commands parse it, up to the point where they would open the database.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { apps } from './dockerfiles.mjs';

const root = fileURLToPath(new URL('../../', import.meta.url));
const runbooks = readdirSync(join(root, 'docs/runbooks')).map((file) => `docs/runbooks/${file}`);
const readmes = apps.map((app) => `apps/${app}/README.md`);
const operating = ['operations', 'images', 'administrators', 'agents'].map((name) => `docs/${name}.md`);
const pages = ['README.md', ...operating, ...runbooks, ...readmes];

interface Service {
  commands?: (program: Command, open: () => Promise<never>) => void;
}
const services = new Map<string, Service>();

beforeAll(async () => {
  for (const app of apps) {
    const { service } = (await import(`../../apps/${app}/src/service.js`)) as { service: Service };
    services.set(app, service);
  }
}, 120_000);

const opened = 'the command has opened the app';

function programOf(app: string): Command {
  const program = new Command(`tradewind ${app}`);
  program.command('serve');
  program.command('batch').action(() => Promise.reject(new Error(opened)));
  program.command('migrate').action(() => Promise.reject(new Error(opened)));
  services.get(app)!.commands?.(program, () => Promise.reject(new Error(opened)));
  const quiet = (command: Command): void => {
    command.exitOverride().configureOutput({ writeErr: () => undefined, writeOut: () => undefined });
    command.commands.forEach(quiet);
  };
  quiet(program);
  return program;
}

const has = (app: string, word: string) => programOf(app).commands.some((command) => command.name() === word);

/** Resolves with what an app says against a command, or with undefined when it would run it. */
async function objection(app: string, words: string[]): Promise<string | undefined> {
  // A command without need of the database does its work here, and prints what came of it.
  const print = jest.spyOn(process.stdout, 'write').mockReturnValue(true);
  const error: unknown = await programOf(app)
    .parseAsync(words, { from: 'user' })
    .then(
      () => new Error(print.mock.calls.length > 0 ? opened : 'it ends without having done anything'),
      (reason: unknown) => reason,
    );
  print.mockRestore();
  return (error as Error).message === opened ? undefined : `${app} ${words.join(' ')}: ${(error as Error).message}`;
}

/** The words of a command, with values in the place of placeholders and with everything that may be left out. */
const wordsOf = (text: string): string[] =>
  text
    .replace(/\s+#.*| < .*/, '')
    .replaceAll(/[[\]]/g, '')
    .replaceAll(/YYYY-MM|--month \.\.\./g, (found) => (found === 'YYYY-MM' ? '2026-11' : '--month 2026-11'))
    .replaceAll(/\b(?:N|ID)\b/g, '5')
    .split(/\s+/)
    .filter((word) => word !== '');

/** The code on a page: spans, and lines of blocks with continued ones joined. */
function codeOf(text: string): string[] {
  const blocks = [...text.matchAll(/```sh\n([^]*?)```/g)].flatMap(([, block]) =>
    block!.replaceAll(/\\\n\s*/g, '').split('\n'),
  );
  const spans = [...text.replaceAll(/```[^]*?```/g, '').matchAll(/`([^`]+)`/g)].map(([, span]) => span!);
  return [...blocks, ...spans];
}

describe.each(pages)('%s', (page) => {
  const code = codeOf(readFileSync(join(root, page), 'utf8'));
  const named = apps.filter((app) => page.includes(app));
  const near = page.endsWith('priority-pipeline.md') ? ['coordinator', 'priority-api', 'priority-webhook'] : named;

  it('shows commands that the services have, in the one way to call them', async () => {
    const objections: (string | undefined)[] = [];
    for (const text of code) {
      if (/\bnode .*main\.js\b/.test(text)) objections.push(`not "tradewind SERVICE ...": ${text}`);
      const [, app, rest] = /(?:^|\s)tradewind ([\w-]+)(.*)$/.exec(text) ?? [];
      if (!app || app === '--help') continue;
      if (!services.has(app)) objections.push(`no such service: ${text}`);
      else if (!['...', '--help', ''].includes(rest!.trim())) objections.push(await objection(app, wordsOf(rest!)));
    }
    expect(objections.filter((text) => text !== undefined)).toEqual([]);
  });

  it('names commands without the program only where an app of the page has them', async () => {
    const objections: string[] = [];
    for (const text of code) {
      const [first, ...rest] = wordsOf(text);
      const able = near.filter((app) => has(app, first ?? ''));
      // One word alone may be a setting or a state of the same name.
      if (able.length === 0 || rest.length === 0) continue;
      const found = await Promise.all(able.map((app) => objection(app, [first!, ...rest])));
      // Here a command may be only named, without the options and words that it cannot do without.
      const faults = found.filter(
        (sentence) => sentence !== undefined && !/required option|missing required argument/.test(sentence),
      );
      if (faults.length === found.length) objections.push(...faults.map(String));
    }
    expect(objections).toEqual([]);
  });
});

describe.each(apps)('the help of %s', (app) => {
  const helpOf = (command: Command): string => {
    let help = '';
    command.configureOutput({ writeOut: (text) => (help += text) }).outputHelp();
    return [help, ...command.commands.map(helpOf)].join('\n');
  };

  it('has examples, each of which is a command that the service has', async () => {
    const program = programOf(app);
    const examples = [...helpOf(program).matchAll(/^ {2}tradewind (\S+) (.+)$/gm)];
    expect(examples.length).toBeGreaterThan(0);
    for (const [, name, words] of examples) {
      expect(name).toBe(app);
      expect(await objection(app, wordsOf(words!))).toBeUndefined();
    }
  });
});
