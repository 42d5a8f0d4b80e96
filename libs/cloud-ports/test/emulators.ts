// Finds or starts the Google emulators for the emulator specs (docs/emulators.md). An emulator that can be neither
// found nor started is a failure: these specs run only when somebody asked for them.
import { freePort } from '@tradewind/testkit';
import { spawn } from 'node:child_process';
import { existsSync, globSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { eventually } from './push-endpoint.js';

export interface Emulator {
  /** The address as the client wants it: host:port, or a URL for the REST ones. */
  address: string;
  /** Second address, for gRPC, where there is one. */
  grpcAddress?: string;
  stop(): Promise<void>;
}

const startTimeoutMs = 120_000;

/** Google's Pub/Sub emulator: PUBSUB_EMULATOR_HOST, or the Cloud SDK's component and Java. */
export async function pubSubEmulator(): Promise<Emulator> {
  const given = process.env['PUBSUB_EMULATOR_HOST'];
  if (given) return { address: given, stop: async () => undefined };
  const java = programOnPath('java');
  const gcloud = programOnPath('gcloud');
  const [jar] = gcloud
    ? globSync(join(dirname(realpathSync(gcloud)), '../platform/pubsub-emulator/lib/cloud-pubsub-emulator-*-all.jar'))
    : [];
  if (!java || !jar) throw absent('PUBSUB_EMULATOR_HOST', 'java and gcloud with its component pubsub-emulator');
  const address = `127.0.0.1:${await freePort()}`;
  const [host, port] = address.split(':');
  const stop = await start(java, ['-Xmx512m', '-jar', jar, `--host=${host}`, `--port=${port}`], `http://${address}/`);
  return { address, stop };
}

/** goccy/bigquery-emulator: BIGQUERY_API_ENDPOINT (and BIGQUERY_STORAGE_API_ENDPOINT), or the program on the PATH. */
export async function bigQueryEmulator(projectId: string): Promise<Emulator> {
  const given = process.env['BIGQUERY_API_ENDPOINT'];
  if (given) {
    const grpcAddress = process.env['BIGQUERY_STORAGE_API_ENDPOINT'];
    return { address: given, ...(grpcAddress ? { grpcAddress } : {}), stop: async () => undefined };
  }
  const program = programOnPath('bigquery-emulator');
  if (!program) throw absent('BIGQUERY_API_ENDPOINT', 'bigquery-emulator');
  const [port, grpcPort] = [await freePort(), await freePort()];
  const address = `http://127.0.0.1:${port}`;
  // Its default is to listen on every address.
  const words = ['--host=127.0.0.1', `--port=${port}`, `--grpc-port=${grpcPort}`, `--project=${projectId}`];
  const stop = await start(program, words, `${address}/bigquery/v2/projects/${projectId}/datasets`);
  return { address, grpcAddress: `127.0.0.1:${grpcPort}`, stop };
}

/** fake-gcs-server: STORAGE_API_ENDPOINT, or the program on the PATH. */
export async function cloudStorageEmulator(): Promise<Emulator> {
  const given = process.env['STORAGE_API_ENDPOINT'];
  if (given) return { address: given, stop: async () => undefined };
  const program = programOnPath('fake-gcs-server');
  if (!program) throw absent('STORAGE_API_ENDPOINT', 'fake-gcs-server');
  const port = await freePort();
  const address = `http://127.0.0.1:${port}`;
  // Without its own address it sends resumable uploads elsewhere; its default is to listen on every address.
  const words = ['-scheme', 'http', '-host', '127.0.0.1', '-port', String(port), '-backend', 'memory', '-external-url', address]; // prettier-ignore
  const stop = await start(program, words, `${address}/storage/v1/b?project=any`);
  return { address, stop };
}

function absent(variable: string, programs: string): Error {
  return new Error(
    `No emulator: set ${variable}, or put on the PATH: ${programs}. docs/emulators.md says how to get it.`,
  );
}

function programOnPath(name: string): string | undefined {
  return (process.env['PATH'] ?? '')
    .split(delimiter)
    .map((folder) => join(folder, name))
    .find((path) => existsSync(path));
}

/** Starts a program and waits until the address answers with success. */
async function start(program: string, words: string[], probeUrl: string): Promise<() => Promise<void>> {
  const child = spawn(program, words, { stdio: ['ignore', 'pipe', 'pipe'] });
  // Also when the set-up fails after this and nobody stops it.
  const end = () => child.kill('SIGKILL');
  process.once('exit', end);
  let log = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      if (log.length < 20_000) log += chunk.toString();
    });
  }
  const ended = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const isReady = async () => {
    if (child.exitCode !== null) throw new Error(`${program} ended: ${log}`);
    return fetch(probeUrl).then(
      ({ ok }) => ok,
      () => false,
    );
  };
  await eventually(isReady, startTimeoutMs, () => `${program} is not ready: ${log}`);
  return async () => {
    child.kill('SIGTERM');
    const timer = setTimeout(() => child.kill('SIGKILL'), 5_000);
    await ended;
    clearTimeout(timer);
    process.removeListener('exit', end);
  };
}
