// `npm run demo`: the main job end to end. Exit code 0 only if everything arrived.
import { fileURLToPath } from 'node:url';
import { existsSync } from 'node:fs';
import { join, relative } from 'node:path';
import { styleText } from 'node:util';
import { profileBackupBucket } from '@tradewind/shared-types';
import { SeenSecrets } from '@tradewind/testkit';
import { followInteractions } from './demo-interactions.js';
import { followMonth } from './demo-month.js';
import { DemoPage, timed } from './demo-page.js';
import { findOrStartPlatform, type DemoPlatform } from './demo-platform.js';
import { queryConnections } from './demo-queries.js';
import { createDemoUser, makeApiKey, signInWithOAuth } from './demo-sign-in.js';
import { interruption } from './interruption.js';
import { portOf } from './ports.js';
import { readSettings } from './settings.js';

const rootDir = fileURLToPath(new URL('../../../', import.meta.url));

const usage = `Usage: npm run demo

Runs the main job end to end and prints a report: sign-in, data API, scraping jobs, a month, logs. It uses the platform
that runs, or starts one and stops it again. Exit code 0 only if everything arrived.

Examples:
  npm run demo
  PORT_BASE=5000 DATA_DIR=.data-2 npm run demo
`;

async function main(): Promise<number> {
  const words = process.argv.slice(2);
  if (words.includes('--help') || words.includes('-h')) {
    console.log(usage);
    return 0;
  }
  const settings = readSettings(process.env, rootDir);
  const page = new DemoPage();
  const interrupted = interruption().then((): never => {
    throw new Error('Interrupted.');
  });
  // When nothing awaits it, its rejection must not end the process before the platform is stopped.
  interrupted.catch(() => undefined);

  page.heading('Platform');
  const platform = await findOrStartPlatform(settings, (line) => page.line(line), interrupted);
  try {
    const died = platform.failed.then((sentence) => {
      throw new Error(sentence);
    });
    await Promise.race([mainJob(platform, page), interrupted, died]);
    return page.report(placesToLook(platform)) ? 0 : 1;
  } catch (error) {
    page.endLive();
    throw error;
  } finally {
    if (platform.isOwn) {
      page.line('stopping the platform; everything is kept');
      await platform.stop();
    }
  }
}

async function mainJob(platform: DemoPlatform, page: DemoPage): Promise<void> {
  const secrets = SeenSecrets.watch();
  page.heading('Sign-in');
  const user = await createDemoUser(platform);
  page.line(`made ${user.email}, because ten data calls a day belong to each user`);
  const key = await makeApiKey(platform, user, page);
  await signInWithOAuth(platform, user, page);

  page.heading('Data API');
  await queryConnections(platform, key, page);

  page.heading('Interactions');
  await followInteractions(platform, user, page);

  page.heading('Monthly run');
  await followMonth(platform, page);

  await checkLogs(platform, secrets, page);
}

/** A platform elsewhere, such as that of the Compose file, has its logs elsewhere. */
async function checkLogs({ settings }: DemoPlatform, secrets: SeenSecrets, page: DemoPage): Promise<void> {
  const folder = join(settings.dataDir, 'logs');
  if (!existsSync(folder)) return;
  page.heading('Logs');
  secrets.addSettings(settings.dataDir);
  const { result, seconds } = await timed(async () => secrets.scanLogs(folder));
  const none = 'no password, token, key or e-mail address';
  page.check(none, result.findings.length === 0, result.findings.slice(0, 3).join('; '));
  page.figure('Logs', 'secrets of this run, not found', secrets.count, seconds);
}

function placesToLook({ settings, address, isOwn }: DemoPlatform): (readonly [string, string])[] {
  const nearby = relative(process.cwd(), settings.dataDir) || '.';
  const data = nearby.startsWith('..') ? settings.dataDir : nearby;
  return [
    ['logs', `${data}/logs/`],
    ['backup', `${data}/objects/${profileBackupBucket}/`],
    ['database', `port ${portOf(settings.portBase, 'postgresql')}, schemas interactions, coordinator, warehouse ...`],
    ['provider, what it saw', `${address('provider-simulator')}/ledger/summary${isOwn ? ' (while it runs)' : ''}`],
    ['jobs', `${address('interactions')}/scraper/network/interactions`],
    ['the month', `${address('coordinator')}/runs`],
  ];
}

try {
  process.exitCode = await main();
} catch (error) {
  const message = error instanceof Error ? error.message : String(error);
  console.error(`\n${styleText(['red', 'bold'], 'The demo failed.')}\n  ${message.replaceAll('\n', '\n  ')}\n`);
  process.exitCode = 1;
}
