// The monthly run: every priority person to the warehouse and into the backup, compared with database and files.
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { profileBackupBucket, profileRequestType } from '@tradewind/shared-types';
import { callJson } from './demo-http.js';
import { timed, type DemoPage } from './demo-page.js';
import { type DemoPlatform, selectFrom } from './demo-platform.js';

interface MonthlyRun {
  month: string;
  selected: number;
  outcome: 'started' | 'resumed' | 'already_published';
  message: string;
}

interface MonthReport {
  is_complete: boolean;
  selected: number;
  published: number;
  started: number;
  received: number;
  stored: number;
  backed_up: number;
  missing_profiles: { network_username: string; reason: string }[];
}

const pollMs = 500;
/** After this time without progress, the demo gives up and says what is missing. */
const stallMs = 90_000;

export async function followMonth(platform: DemoPlatform, page: DemoPage): Promise<void> {
  const coordinator = platform.address('coordinator');
  const { result, seconds } = await timed(async () => {
    const run = await callJson<MonthlyRun>(`${coordinator}/run`, {});
    page.line(run.message);
    return { run, report: await followReport(`${coordinator}/months/${run.month}/report?names=5`, page) };
  });
  const { run, report } = result;
  const missing = report.missing_profiles
    .map(({ network_username, reason }) => `${network_username}: ${reason}`)
    .join('; ');
  page.check('there are priority people to scrape', report.selected > 0, `${report.selected} profiles in ${run.month}`);
  page.check('every profile is in the warehouse and in the backup', report.is_complete, missing);

  const inWarehouse = await compareStores(platform, run.month, report, page);
  page.figure(
    'Monthly run',
    run.outcome === 'already_published' ? 'profiles (published before)' : 'profiles published',
    report.published,
    seconds,
  );
  page.figure('Monthly run', 'received', report.received);
  page.figure('Monthly run', 'in the warehouse', inWarehouse);
  page.figure('Monthly run', 'in the backup', report.backed_up);
}

async function followReport(url: string, page: DemoPage): Promise<MonthReport> {
  let report = await callJson<MonthReport>(url);
  let lastSeen = '';
  let lastChange = Date.now();
  for (;;) {
    page.progress(
      'profiles',
      report.backed_up,
      report.selected,
      `${report.started} started, ${report.received} received, ${report.stored} stored`,
    );
    const seen = JSON.stringify({ ...report, missing_profiles: undefined });
    if (seen !== lastSeen) lastChange = Date.now();
    lastSeen = seen;
    // A run that has only just begun has selected nobody, so that nothing is missing yet.
    const isDone = report.is_complete && report.selected > 0;
    if (isDone || Date.now() - lastChange > (report.selected === 0 ? stallMs / 3 : stallMs)) return report;
    await sleep(pollMs);
    report = await callJson<MonthReport>(url);
  }
}

/** Looks past the services: into the warehouse's table and at the files of the backup. */
async function compareStores(
  platform: DemoPlatform,
  month: string,
  report: MonthReport,
  page: DemoPage,
): Promise<number> {
  const rows = await selectFrom<{ resource: string; data: unknown }>(
    platform,
    `select distinct on ("requestResource") "requestResource" as resource, "responseData" as data
     from warehouse.scraped_profile_calls
     where "requestType" = $1 and "requestStatus" = 'SUCCESS' and "requestDate" >= $2::date
     order by "requestResource", "requestDate" desc`,
    [profileRequestType, `${month}-01`],
  );
  const what = 'the table of scraped-profile calls holds them all';
  page.check(what, rows.length >= report.selected, `${rows.length} profiles`);
  const folder = join(platform.settings.dataDir, 'objects', profileBackupBucket);
  if (!existsSync(folder)) {
    const hint = `${folder} does not exist; was the platform started with another DATA_DIR?`;
    page.check('the backup holds them all', false, hint);
    return rows.length;
  }
  const files = readdirSync(folder).map((file) => ({ file, ...readBackupName(decodeURIComponent(file)) }));
  const ofMonth = files.filter(({ stamp }) => stamp?.startsWith(month.replace('-', '')));
  const backedUp = new Map(ofMonth.map(({ username, file }) => [username, file]));
  const withoutFile = rows.filter(({ resource }) => !backedUp.has(resource)).map(({ resource }) => resource);
  page.check(
    'the backup holds them all, one file or more for each',
    withoutFile.length === 0,
    withoutFile.length === 0 ? `${backedUp.size} profiles` : `missing: ${withoutFile.slice(0, 5).join(', ')}`,
  );
  const sample = rows[0];
  const file = sample && backedUp.get(sample.resource);
  if (sample && file !== undefined) {
    const name = (value: unknown) => /"name":\s*"([^"]*)"/.exec(JSON.stringify(value))?.[1];
    const backup = name(JSON.parse(readFileSync(join(folder, file), 'utf8')));
    page.check(
      'warehouse and backup hold the same profile',
      backup !== undefined && backup === name(sample.data),
      `${sample.resource}: ${backup ?? '-'}`,
    );
  }
  return rows.length;
}

/** `<network_username>_<YYYYMMDDHHMMSS>[suffix].json`; the username itself may hold underscores. */
function readBackupName(name: string): { username: string | undefined; stamp: string | undefined } {
  const match = /^(.+)_(\d{14})(?:\D.*)?\.json$/.exec(name);
  return { username: match?.[1], stamp: match?.[2] };
}
