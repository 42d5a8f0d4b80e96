// First start only: demo accounts through identity's operator commands, sample data through the seed tool, each as a
// process of its own. A marker in the data folder says that it was done; every step is harmless to repeat.
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
  report: (line: string) => void;
  /** Ends the programs that are under way. */
  signal: AbortSignal;
}

export async function prepareSampleData(context: SampleDataContext): Promise<void> {
  await createConsoleClient(context);
  const marker = join(context.settings.dataDir, 'sample-data.json');
  if (existsSync(marker)) return;
  const startedMs = performance.now();
  const ownerIds = await createUsers(context);
  await Promise.all([createClient(context), loadSampleData(context, ownerIds)]);
  writeFileSync(marker, `${JSON.stringify({ preparedAt: new Date().toISOString() })}\n`);
  context.report(`sample data and demo accounts ready after ${((performance.now() - startedMs) / 1000).toFixed(1)} s`);
}

/** Resolves with the ids of the demo users, who own half of the sample contacts. */
async function createUsers(context: SampleDataContext): Promise<string[]> {
  const outputs = await Promise.all(
    demoAccounts.map(({ email, password, role, givenName, familyName }) =>
      identity(context, [
        ...['user', 'create', '--email', email, '--password', password, '--role', role],
        ...['--given-name', givenName, '--family-name', familyName, '--email-verified', '--if-missing'],
      ]),
    ),
  );
  return outputs.flatMap((output) => /[0-9a-f]{8}-[0-9a-f-]{27}/.exec(output)?.[0] ?? []);
}

async function createClient(context: SampleDataContext): Promise<void> {
  await identity(context, [
    ...['client', 'create', '--id', demoClient.id, '--secret', demoClient.secret, '--name', 'Demo client'],
    ...['--redirect-uri', demoClient.redirectUri, '--grant-types', ...demoClient.grantTypes],
    ...['--resource', ...demoClient.resources, '--if-missing'],
  ]);
}

/** With a marker of its own: a data folder may be older than the console, or be used with other ports. */
async function createConsoleClient(context: SampleDataContext): Promise<void> {
  const { dataDir, portBase } = context.settings;
  const marker = join(dataDir, `console-client-${portBase}.json`);
  if (existsSync(marker)) return;
  const { id, name, redirectUri, postLogoutRedirectUri, resources } = consoleClient(portBase);
  await identity(context, [
    ...['client', 'create', '--id', id, '--name', name, '--auth-method', 'none'],
    ...['--redirect-uri', redirectUri, '--post-logout-redirect-uri', postLogoutRedirectUri],
    ...['--resource', ...resources, '--if-missing'],
  ]);
  writeFileSync(marker, `${JSON.stringify({ preparedAt: new Date().toISOString() })}\n`);
}

/** Runs an operator command of identity. */
async function identity(context: SampleDataContext, words: string[]): Promise<string> {
  const env = { ...serviceEnvironment('identity', context), MIGRATE_ON_START: 'false', LOG_LEVEL: 'warn' };
  return runNode([join(context.settings.rootDir, 'apps/identity/dist/main.js'), ...words], env, context);
}

async function loadSampleData({ settings, databaseUrl, signal }: SampleDataContext, ownerIds: string[]): Promise<void> {
  const words = [join(settings.rootDir, 'tools/seed/dist/sample.js')];
  if (ownerIds.length > 0) words.push('--owner-ids', ownerIds.join(','));
  await runNode(words, { PATH: process.env['PATH'] ?? '', DATABASE_URL: databaseUrl }, { signal });
}
