// A real OpenSearch for tests: the distribution without plugins, which OpenSearch publishes on Maven Central for this
// purpose. Maven brings it, because Maven knows the mirrors and proxies of the machine. It needs Java 17.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { endAfterThisProcess, freePort, serverAccount } from './embedded-postgres.js';

const version = '2.19.6';
const artifact = `org.opensearch.distribution.integ-test-zip:opensearch:${version}:zip`;
const copyGoal = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy';
const javaNeeded = 'Java 17 (at most 23)';
const zipSha256 = '71d6d8b1c637f3faecda0752b184b1cc526fc6eaad59ec1408c6327bb00b9293';
// Twelve seconds on two idle cores, minutes on busy ones.
const startTimeoutMs = 600_000;

/** Every user can reach it, the unprivileged one of the server included. */
const installedFolder = join('/var/tmp', `tradewind-opensearch-${version}`);

export interface EmbeddedOpenSearch {
  url: string;
  pid: number;
  /** Resolves with a description when the node ends without having been told to. */
  ended: Promise<string>;
  /**
   * Ends the node at once, as a crash does: an orderly end takes half a minute, and what was acknowledged is on disk.
   * The data folder is removed unless the caller named it.
   */
  stop(): Promise<void>;
}

export interface EmbeddedOpenSearchOptions {
  /** Where the data lies; a folder of its own that `stop` removes, unless it is given. */
  dataDir?: string;
  /** Port of HTTP; any free one unless it is given. */
  port?: number;
  /** MiB; 256 hold some 100,000 small documents. */
  heapMb?: number;
  /** Further settings of the node. */
  settings?: Readonly<Record<string, string>>;
}

/** Why OpenSearch cannot be started without a download; undefined when it can. */
function openSearchMissing(): string | undefined {
  if (javaHome() === undefined) return `${javaNeeded} is missing`;
  if (!existsSync(installedFolder)) return `${installedFolder} is missing; \`npm run test:opensearch\` installs it`;
  return undefined;
}

/**
 * Brings OpenSearch to this machine, once: 56 MB, checked against a known sum.
 * @throws Error without Java 17, Maven, or the registry
 */
export function installOpenSearch(): void {
  if (javaHome() === undefined) throw new Error(`OpenSearch needs ${javaNeeded} on the PATH.`);
  if (existsSync(installedFolder)) return;
  const scratch = mkdtempSync(join('/var/tmp', 'tradewind-opensearch-download-'));
  try {
    execFileSync('mvn', ['-B', '-q', copyGoal, `-Dartifact=${artifact}`, `-DoutputDirectory=${scratch}`], {
      cwd: scratch,
      stdio: ['ignore', 'ignore', 'inherit'],
    });
    const zip = join(scratch, `opensearch-${version}.zip`);
    const sum = createHash('sha256').update(readFileSync(zip)).digest('hex');
    if (sum !== zipSha256) throw new Error(`${artifact} has the SHA-256 ${sum} instead of ${zipSha256}.`);
    execFileSync('jar', ['xf', zip], { cwd: scratch });
    const unpacked = join(scratch, `opensearch-${version}`);
    execFileSync('chmod', ['-R', 'a+rX', unpacked]);
    // Another process may have been faster.
    if (!existsSync(installedFolder)) renameSync(unpacked, installedFolder);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

/** Starts one node on the loopback interface. As root the node itself runs as an unprivileged user. */
export async function startEmbeddedOpenSearch(options: EmbeddedOpenSearchOptions = {}): Promise<EmbeddedOpenSearch> {
  const missing = openSearchMissing();
  const java = javaHome();
  if (missing !== undefined || java === undefined) throw new Error(`OpenSearch cannot be started: ${missing}.`);
  const account = serverAccount();
  const own = (folder: string) => {
    if (account.uid !== undefined && account.gid !== undefined) chownSync(folder, account.uid, account.gid);
  };
  const scratch = mkdtempSync(join(tmpdir(), 'tradewind-opensearch-'));
  chmodSync(scratch, 0o755);
  const dataDir = options.dataDir ?? join(scratch, 'data');
  const configDir = join(scratch, 'config');
  cpSync(join(installedFolder, 'config'), configDir, { recursive: true });
  for (const folder of [dataDir, join(scratch, 'logs'), join(scratch, 'tmp')]) mkdirSync(folder, { recursive: true });
  for (const folder of [dataDir, configDir, join(scratch, 'logs'), join(scratch, 'tmp')]) own(folder);
  const port = options.port ?? (await freePort());
  const settings = {
    'cluster.name': 'tradewind-test',
    'discovery.type': 'single-node',
    'network.host': '127.0.0.1',
    'http.port': String(port),
    'transport.port': String(await freePort()),
    'path.data': dataDir,
    'path.logs': join(scratch, 'logs'),
    // Other programs fill the disk of a developer's machine.
    'cluster.routing.allocation.disk.threshold_enabled': 'false',
    ...options.settings,
  };
  writeFileSync(
    join(configDir, 'opensearch.yml'),
    Object.entries(settings)
      .map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`)
      .join(''),
  );
  const heap = `${options.heapMb ?? 256}m`;
  const properties = {
    'opensearch.path.home': installedFolder,
    'opensearch.path.conf': configDir,
    'opensearch.distribution.type': 'tar',
    'java.io.tmpdir': join(scratch, 'tmp'),
    'java.security.manager': 'allow',
    'jna.nosys': 'true',
    'io.netty.noUnsafe': 'true',
    'log4j2.disable.jmx': 'true',
  };
  const node = spawn(
    join(java, 'bin/java'),
    [
      ...[`-Xms${heap}`, `-Xmx${heap}`, '-XX:+UseG1GC'],
      ...Object.entries(properties).map(([name, value]) => `-D${name}=${value}`),
      ...['-cp', join(installedFolder, 'lib/*'), 'org.opensearch.bootstrap.OpenSearch'],
    ],
    // Its own process group: Ctrl-C in a terminal must reach the programs that use it first.
    { ...account, detached: true, cwd: scratch, env: {}, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let log = '';
  for (const stream of [node.stdout, node.stderr])
    stream.on('data', (chunk: Buffer) => {
      if (log.length < 20_000) log += chunk.toString();
    });
  const ended = new Promise<string>((resolve) => {
    node.once('exit', (code, signal) => resolve(`OpenSearch ended (${signal ?? `exit code ${code}`})`));
    node.once('error', (error) => resolve(`OpenSearch could not be started: ${error.message}`));
  });
  endAfterThisProcess(node);
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (node.exitCode === null && node.signalCode === null) node.kill('SIGKILL');
    await ended;
    rmSync(scratch, { recursive: true, force: true });
  };
  const failure = await Promise.race([
    untilHealthy(url).then(() => undefined),
    ended,
    delay(startTimeoutMs, `OpenSearch was not ready within ${startTimeoutMs / 1000} s`, { ref: false }),
  ]);
  if (failure !== undefined) {
    await stop();
    throw new Error(`${failure}. Its log:\n${log.trim()}`);
  }
  return { url, pid: node.pid!, ended, stop };
}

async function untilHealthy(url: string): Promise<void> {
  const endMs = performance.now() + startTimeoutMs;
  while (performance.now() < endMs) {
    const answer = await fetch(`${url}/_cluster/health?wait_for_status=yellow&timeout=5s`).catch(() => undefined);
    if (answer?.ok) return;
    await delay(100);
  }
}

/** Home of the Java on the PATH; undefined when there is none that OpenSearch runs on. */
function javaHome(): string | undefined {
  const { stderr } = spawnSync('java', ['-XshowSettings:properties', '-version'], { encoding: 'utf8' });
  const valueOf = (name: string) => new RegExp(`^ *${name} = (.*)$`, 'm').exec(stderr ?? '')?.[1];
  const version = Number(valueOf('java.specification.version'));
  return version >= 17 && version < 24 ? valueOf('java.home') : undefined;
}
