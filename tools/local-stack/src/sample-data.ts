// First start only: demo accounts through identity's operator commands, then sample data through the seed tool, each in
// a process of its own. A marker in the data folder says that it was done; every step is harmless to repeat.
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { consoleClient, demoAccounts, demoClient } from './demo-accounts.js';
import type { LocalSecrets } from './local-secrets.js';
import { runNode } from './run-node.js';
import { serviceEnvironment } from './services.js';
import type { LocalSettings } from './settings.js';

export interface SampleDataContext {
  settings: LocalSettings;
  databaseUrl: string;
  secrets: LocalSecrets;
  /** Where programs find compiled code. */
  compileCache: Record<string, string>;
  report: (line: string) => void;
  /** Ends the programs that are under way. */
  signal: AbortSignal;
}

export async function prepareSampleData(context: SampleDataContext): Promise<void> {
  const { dataDir, portBase } = context.settings;
  const marker = join(dataDir, 'sample-data.json');
  // With a marker of its own: a data folder may be older than the console, or be used with other ports.
  const consoleMarker = join(dataDir, `console-client-${portBase}.json`);
  const commands = [
    ...(existsSync(consoleMarker) ? [] : [createConsoleClient(portBase)]),
    ...(existsSync(marker) ? [] : [createClient(), ...demoAccounts.map(createUser)]),
  ];
  if (commands.length === 0) return;
  const startedMs = performance.now();
  const output = await identity(context, commands);
  mark(consoleMarker);
  if (existsSync(marker)) return;
  await loadSampleData(context, idsOf(output));
  mark(marker);
  context.report(`sample data and demo accounts ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
}

const mark = (file: string): void =>
  writeFileSync(file, `${JSON.stringify({ preparedAt: new Date().toISOString() })}\n`);

const createUser = ({ email, password, role, givenName, familyName }: (typeof demoAccounts)[number]): string[] => [
  ...['user', 'create', '--email', email, '--password', password, '--role', role],
  ...['--given-name', givenName, '--family-name', familyName, '--email-verified', '--if-missing'],
];

const createClient = (): string[] => [
  ...['client', 'create', '--id', demoClient.id, '--secret', demoClient.secret, '--name', 'Demo client'],
  ...['--redirect-uri', demoClient.redirectUri, '--grant-types', ...demoClient.grantTypes],
  ...['--resource', ...demoClient.resources, '--if-missing'],
];

function createConsoleClient(portBase: number): string[] {
  const { id, name, redirectUri, postLogoutRedirectUri, resources } = consoleClient(portBase);
  return [
    ...['client', 'create', '--id', id, '--name', name, '--auth-method', 'none'],
    ...['--redirect-uri', redirectUri, '--post-logout-redirect-uri', postLogoutRedirectUri],
    ...['--resource', ...resources, '--if-missing'],
  ];
}

/** The demo users, who own half of the sample contacts. Each id is a line of its own. */
const idsOf = (output: string): string[] =>
  output.split('\n').filter((line) => /^[0-9a-f]{8}-[0-9a-f-]{27}$/.test(line));

/** Runs operator commands of identity in one process. */
async function identity(context: SampleDataContext, commands: readonly string[][]): Promise<string> {
  const settings = { ...serviceEnvironment('identity', context), MIGRATE_ON_START: 'false', LOG_LEVEL: 'warn' };
  const env = { ...settings, ...context.compileCache };
  const input = commands.map((words) => `${JSON.stringify(words)}\n`).join('');
  return runNode([join(context.settings.rootDir, 'apps/identity/dist/main.js'), 'batch'], env, { ...context, input });
}

async function loadSampleData(context: SampleDataContext, ownerIds: string[]): Promise<void> {
  const { settings, databaseUrl, compileCache } = context;
  const words = [join(settings.rootDir, 'tools/seed/dist/sample.js')];
  if (ownerIds.length > 0) words.push('--owner-ids', ownerIds.join(','));
  await runNode(words, { PATH: process.env['PATH'] ?? '', DATABASE_URL: databaseUrl, ...compileCache }, context);
}
