import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { compileCacheSetting } from '@tradewind/testkit';
import { type PlatformProcess, rootDir } from './platform-process.js';

export interface NewUser {
  email: string;
  password: string;
}

/** Makes users of a platform that runs, by operator commands in one process. */
export async function createUsers({ dataDir }: PlatformProcess, users: readonly NewUser[]): Promise<void> {
  const env = { PATH: process.env['PATH'], DATA_DIR: dataDir, ...compileCacheSetting() };
  const tradewind = join(rootDir, 'node_modules/.bin/tradewind');
  const running = promisify(execFile)(process.execPath, [tradewind, 'identity', 'batch'], { env });
  const commands = users.map(({ email, password }) => ['user', 'create', '--email', email, '--password', password]);
  running.child.stdin?.end(commands.map((words) => `${JSON.stringify(words)}\n`).join(''));
  await running;
}
