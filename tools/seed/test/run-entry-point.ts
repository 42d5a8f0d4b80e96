// Runs an entry point of this tool as a process of its own, as built.
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import type { Settings } from '../src/settings.js';

export interface Outcome {
  code: number | null;
  output: string;
}

export interface RunningEntryPoint {
  process: ChildProcess;
  ended: Promise<Outcome>;
}

export function startEntryPoint(
  name: 'seed' | 'import' | 'sample',
  args: readonly string[],
  settings: Settings,
): RunningEntryPoint {
  const path = new URL(`../dist/${name}.js`, import.meta.url).pathname;
  const process_ = spawn(process.execPath, [path, ...args], {
    env: { ...process.env, DATABASE_URL: settings.databaseUrl, DATABASE_SCHEMA: settings.schema },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  process_.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  process_.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(process_, 'close').then(([code]) => ({ code: code as number | null, output }));
  return { process: process_, ended };
}
