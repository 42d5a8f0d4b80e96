// How long a program takes from its start to its first healthy answer, on a PostgreSQL of this machine.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { startEmbeddedPostgres } from '../../libs/testkit/src/embedded-postgres.ts';

const startTimeoutMs = 60_000;

/** What operators look with, for each app; on a fresh database all of them end with code 0. */
const operatorCommands = {
  identity: ['user list', 'client list', 'key list', 'audit list'],
  'graphql-gateway': ['key list'],
  interactions: [],
  'priority-api': ['dead-letter list', 'profiles count'],
  'priority-webhook': ['unusable list'],
  coordinator: ['run --dry-run', 'run', 'runs', 'report', 'queue ensure'],
};
const secondCopies = fileURLToPath(new URL('second-copies.mjs', import.meta.url));

/** A request with a body for each app, and how it is answered: what reads and checks bodies is loaded by the first of them. */
const firstRequests = {
  identity: ['/auth/login', { email: 'nobody@example.com', password: 'no password' }, 401],
  'graphql-gateway': ['/auth/graphql', { query: '{ __typename }' }, 200],
  interactions: ['/scraper/network/interactions', { targets: 'none' }, 400],
  'priority-api': ['/months/2026-11/profiles/lookup', { usernames: 'none' }, 400],
  'priority-webhook': ['/months/2026-11/profiles/lookup', { usernames: 'none' }, 400],
  coordinator: ['/run', { month: 'none' }, 400],
};

/**
 * Runs `measure` with a throw-away database. Its argument starts a program and ends it again:
 * `startMs({folder, command, environment})` resolves to the milliseconds until `GET /health` answered 200, and rejects with
 * the program's output when it ends before, or does not end with code 0 after SIGTERM. `assertWorks(program)` does the same
 * once, and rejects also when a request with a body is not answered as it must be, or a package was loaded both from the
 * bundle and from node_modules. `operate(program)` runs operator commands and rejects when one fails.
 */
export async function withStarts(measure) {
  const postgres = await startEmbeddedPostgres({ ephemeral: true });
  const objects = mkdtempSync(join(tmpdir(), 'tradewind-objects-'));
  const settings = {
    ENVIRONMENT: 'dev',
    CALLER_AUTH: 'none',
    NODE_ENV: 'production',
    HOST: '127.0.0.1',
    DATABASE_URL: postgres.url,
    QUEUE_DATABASE_URL: postgres.url,
    WAREHOUSE_DATABASE_URL: postgres.url,
    OBJECT_STORE_DIR: objects,
    OAUTH_ISSUER: 'http://127.0.0.1:4000',
    METADATA_SERVER_DETECTION: 'none',
  };
  try {
    return await measure({
      migrate: (program) => run(program, settings, ['migrate']),
      operate: async (program) => {
        for (const command of operatorCommands[program.app]) await run(program, settings, command.split(' '));
      },
      startMs: (program) => startMs(program, settings),
      assertWorks: ({ command: [node, ...words], ...rest }) =>
        startMs({ ...rest, command: [node, '--import', secondCopies, ...words] }, settings, (address) =>
          assertAnswers(rest.app, address),
        ),
    });
  } finally {
    await postgres.stop();
    rmSync(objects, { recursive: true, force: true });
  }
}

async function assertAnswers(app, address) {
  const [path, body, status] = firstRequests[app];
  const headers = { 'content-type': 'application/json' };
  const answer = await fetch(address + path, { method: 'POST', headers, body: JSON.stringify(body) });
  if (answer.status === status) return;
  throw new Error(`${app} answers ${path} with ${answer.status} instead of ${status}: ${await answer.text()}`);
}

async function startMs(program, settings, whenHealthy = async () => {}) {
  const [port, metricsPort] = await freePorts(2);
  const env = { ...settings, PORT: String(port), METRICS_PORT: String(metricsPort), MIGRATE_ON_START: 'false' };
  const startedAt = performance.now();
  const { child, output } = launch(program, env, []);
  const exited = once(child, 'exit');
  for (;;) {
    const answer = await fetch(`http://127.0.0.1:${port}/health`).catch(() => undefined);
    if (answer?.ok) break;
    if (child.exitCode !== null || performance.now() - startedAt > startTimeoutMs) {
      child.kill('SIGKILL');
      throw new Error(`${program.command.join(' ')} did not become healthy:\n${output()}`);
    }
    await delay(5);
  }
  const tookMs = performance.now() - startedAt;
  try {
    await whenHealthy(`http://127.0.0.1:${port}`);
  } finally {
    child.kill('SIGTERM');
  }
  const [code] = await exited;
  if (code !== 0) throw new Error(`${program.command.join(' ')} ended with code ${code}:\n${output()}`);
  return tookMs;
}

async function run(program, settings, words) {
  const { child, output } = launch(program, settings, words);
  const [code] = await once(child, 'exit');
  if (code !== 0) throw new Error(`${program.command.join(' ')} ${words.join(' ')} failed:\n${output()}`);
}

function launch({ folder, command, environment }, env, words) {
  const [, ...args] = command;
  const child = spawn(process.execPath, [...args, ...words], {
    cwd: folder,
    env: { ...environment, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => (text = (text + chunk).slice(-4_000)));
  return { child, output: () => text };
}

async function freePorts(count) {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => server.address().port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}
