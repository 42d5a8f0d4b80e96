import { type ChildProcess, fork } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, expect, it, jest } from '@jest/globals';

// Two cores may be busy with other tests at the same time.
jest.setTimeout(120_000);

const runnerFile = fileURLToPath(new URL('../dist/reload-runner.js', import.meta.url));
const endWithParent = new URL('../dist/end-with-parent.js', import.meta.url).href;
const sourceHooks = new URL('../../workspace/source-hooks.mjs', import.meta.url).href;

let folder: string;
let runner: ChildProcess;
let lines: string[];

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-reload-'));
  mkdirSync(join(folder, 'node_modules/dependency'), { recursive: true });
  write('package.json', '{"type":"module"}');
  write('node_modules/dependency/package.json', '{"name":"dependency","type":"module","exports":"./index.js"}');
  write('node_modules/dependency/index.js', 'console.log("loaded", process.pid);');
  write(
    'main.ts',
    `import 'dependency';
     import { value } from './value.js';
     process.once('SIGTERM', () => { console.log('stopped', process.pid); process.exit(); });
     setInterval(() => undefined, 1_000);
     console.log('started', process.pid, value as number);`,
  );
  setValue(1);
  lines = [];
  // Port 0: any free one for the debugger.
  runner = fork(runnerFile, [sourceHooks, '0', join(folder, 'main.ts')], {
    execArgv: ['--import', endWithParent],
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  });
  for (const stream of [runner.stdout, runner.stderr]) {
    stream?.on('data', (chunk: Buffer) => lines.push(...chunk.toString().split('\n')));
  }
});
afterEach(async () => {
  runner.kill();
  await until(() => runner.exitCode !== null);
  rmSync(folder, { recursive: true, force: true });
});

const write = (path: string, text: string) => writeFileSync(join(folder, path), text);
const setValue = (value: number) => write('value.ts', `export const value: number = ${value};`);
const reload = () => runner.send('reload');
const processIds = (word: string) =>
  lines.filter((line) => line.startsWith(`${word} `)).map((line) => Number(line.split(' ')[1]));
const hasStarted = (value: number) => lines.some((line) => new RegExp(`^started \\d+ ${value}$`).test(line));

async function until(isSo: () => boolean): Promise<void> {
  for (let waitedMs = 0; waitedMs < 30_000 && !isSo(); waitedMs += 20) await delay(20);
  expect({ isSo: isSo(), lines }).toEqual({ isSo: true, lines });
}

function isRunning(processId: number): boolean {
  try {
    return process.kill(processId, 0);
  } catch {
    return false;
  }
}

it('starts the program again with what was saved, in a process that had loaded the packages before', async () => {
  await until(() => hasStarted(1));
  await until(() => processIds('loaded').length === 2);
  const [first, second] = processIds('loaded');
  expect(processIds('started')).toEqual([first]);

  setValue(2);
  reload();
  await until(() => hasStarted(2));
  expect(processIds('stopped')).toEqual([first]);
  expect(processIds('started')).toEqual([first, second]);
  // Not in the process that waits.
  expect(lines.filter((line) => line.startsWith('Debugger listening on ws://127.0.0.1:'))).toHaveLength(2);
});

it('starts the program also where the one that waited has died', async () => {
  await until(() => processIds('loaded').length === 2);
  const waiting = processIds('loaded')[1]!;
  process.kill(waiting, 'SIGKILL');
  await until(() => !isRunning(waiting));
  setValue(2);
  reload();
  await until(() => hasStarted(2));
});

it('joins messages, and never leaves an older program running', async () => {
  await until(() => hasStarted(1));
  for (const value of [2, 3, 4]) {
    setValue(value);
    reload();
  }
  await until(() => hasStarted(4));
  setValue(5);
  reload();
  await until(() => hasStarted(5));
  expect(processIds('started').filter(isRunning)).toEqual([processIds('started').at(-1)]);
});

it('says what is wrong with a source, and waits for the next change', async () => {
  await until(() => hasStarted(1));
  write('value.ts', 'export const value: number = ;');
  reload();
  await until(() => lines.includes('ended; the next change starts it again'));
  expect(lines.join('\n')).toMatch(/value\.ts|Expression expected/);
  setValue(2);
  reload();
  await until(() => hasStarted(2));
});

it.each([
  { end: 'SIGTERM', by: () => void runner.kill('SIGTERM') },
  { end: 'the end of the platform', by: () => runner.disconnect() },
])('$end ends the program, the one that waits, and the runner', async ({ by }) => {
  await until(() => processIds('loaded').length === 2);
  by();
  await until(() => runner.exitCode !== null);
  await until(() => processIds('loaded').filter(isRunning).length === 0);
  expect(processIds('stopped')).toEqual(processIds('started'));
});

it('leaves nothing behind when it is stopped in the middle of a reload', async () => {
  write(
    'value.ts',
    `process.on('SIGTERM', () => { for (const end = Date.now() + 500; Date.now() < end;); });
    export const value: number = 1;`,
  );
  reload();
  await until(() => processIds('started').length > 0 && processIds('loaded').length > 1);
  const started = processIds('started');
  reload();
  await until(() => lines.filter((line) => line === 'Restarting').length > 0);
  runner.kill('SIGTERM');
  await until(() => runner.exitCode !== null);
  expect(processIds('started')).toEqual(started);
  await until(() => processIds('loaded').filter(isRunning).length === 0);
});
