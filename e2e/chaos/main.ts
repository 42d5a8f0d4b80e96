// `npm run chaos -- --minutes N --seed S [--callers C] [--ready-seconds R]`: the platform under load and faults, and
// then the accountant. The exit code is 0 only when nothing was found.
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { SeenSecrets } from '@tradewind/testkit';
import { account } from './accountant/accountant.js';
import type { Evidence } from './accountant/evidence/evidence.types.js';
import { readErrorLines } from './accountant/evidence/error-lines.js';
import { readEvidence } from './accountant/evidence/read-evidence.js';
import { runFaults } from './faults/run-faults.js';
import { closeLoad, prepareLoad, runLoad } from './load/run-load.js';
import { LedgerCopy } from './log/ledger-copy.js';
import { RunLog } from './log/run-log.js';
import { ChaosPlatform } from './platform/platform.js';
import { limitsOf } from './platform/service-settings.js';
import { settle } from './platform/settle.js';
import { reportLines } from './report.js';

/** The log is kept in memory. The limit on wrong passwords counts two hours. */
const minutesMax = 120;
const progressMs = 60_000;
/** The simulator keeps what happens in about an hour. */
const ledgerCopyMs = 10_000;
const startedMs = Date.now();

function report(line: string): void {
  const seconds = Math.round((Date.now() - startedMs) / 1000);
  const time = `${String(Math.floor(seconds / 60)).padStart(2, '0')}:${String(seconds % 60).padStart(2, '0')}`;
  console.log(`${time} ${line}`);
}

interface Options {
  minutes: number;
  seed: string;
  /** How many act at the same time. Two cores also run twelve services. */
  callers: number;
  /** How long after a fault a service may need to be ready. */
  recoveryMs: number;
}

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      minutes: { type: 'string', default: '3' },
      seed: { type: 'string', default: '1' },
      callers: { type: 'string', default: '6' },
      'ready-seconds': { type: 'string', default: '15' },
    },
  });
  const minutes = Number(values.minutes);
  if (!(minutes > 0) || minutes > minutesMax) throw new Error(`--minutes must be a number up to ${minutesMax}`);
  const callers = Number(values.callers);
  if (!Number.isInteger(callers) || callers < 1) throw new Error('--callers must be a positive integer');
  const recoveryMs = Number(values['ready-seconds']) * 1000;
  if (!(recoveryMs > 0)) throw new Error('--ready-seconds must be a positive number');
  return { minutes, seed: values.seed, callers, recoveryMs };
}

async function main(): Promise<number> {
  const options = readOptions();
  const { minutes, seed, callers } = options;
  report(`chaos for ${minutes} minutes, ${callers} callers, seed ${seed}`);
  const stop = new AbortController();
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => stop.abort());
  const secrets = SeenSecrets.watch();
  const platform = await ChaosPlatform.start(limitsOf(options), report);
  let isClean = false;
  try {
    const { evidence, acts, broken } = await run(platform, secrets, options, stop);
    const results = account(evidence);
    // What happened until then is compared all the same.
    const findings = [...broken, ...results.flatMap((result) => result.findings)];
    console.log([...reportLines(evidence, acts, results), ...broken].join('\n'));
    console.log(`\n${findings.length} findings. Seed ${seed}, ${minutes} minutes, ${new Date().toISOString()}.`);
    isClean = findings.length === 0;
    if (!isClean) writeFileSync(join(platform.dataDir, 'evidence.json'), JSON.stringify({ evidence, results }));
  } finally {
    await platform.stop();
    if (isClean) platform.remove();
    else
      console.log(
        `Logs and data stay in ${platform.dataDir}; again: npm run chaos -- --minutes ${minutes} --seed ${seed} --callers ${callers}`,
      );
  }
  return isClean ? 0 : 1;
}

async function run(
  platform: ChaosPlatform,
  secrets: SeenSecrets,
  { minutes, seed, callers, recoveryMs }: Options,
  stop: AbortController,
): Promise<{ evidence: Evidence; acts: Map<string, number>; broken: string[] }> {
  const log = new RunLog();
  const ledger = new LedgerCopy(platform.simulatorUrl);
  const state = await prepareLoad(platform, seed, limitsOf({ minutes, callers }));
  report('every replica is ready: load and faults begin');
  const begunMs = Date.now();
  const untilMs = begunMs + minutes * 60_000;
  const time = setTimeout(() => stop.abort(), minutes * 60_000);
  const load = runLoad({ platform, seed, callers, log, signal: stop.signal }, state);
  const broken: string[] = [];
  const faults = runFaults({
    ...{ platform, seed, untilMs, signal: stop.signal, report },
    struck: (window) => log.faults.push(window),
  })
    .catch((error: Error) => void broken.push(`the faults broke off: ${error.message}`))
    // Load alone proves nothing more.
    .finally(() => stop.abort());
  const progress = setInterval(() => report(progressLine(log)), progressMs);
  const [acts] = await Promise.all([load, faults, copyLedger(ledger, stop.signal)]).finally(() => {
    stop.abort();
    clearTimeout(time);
    clearInterval(progress);
  });
  report('faults and load are over: waiting for what is under way');
  await closeLoad({ platform, seed, log }, state);
  const { open, seconds } = await settle(platform);
  report(open.length === 0 ? `settled after ${seconds} s` : `not settled after ${seconds} s: ${open.join(', ')}`);
  // Services that stop miss each other.
  const stopMs = Date.now();
  const killedAtStop = await platform.stopServices();
  await ledger.read();
  log.ledger = ledger.entries;
  const { databaseUrl, objectsDir, deaths, dataDir, logsDir } = platform;
  secrets.addSettings(dataDir);
  const logs = await secrets.scanLogs(logsDir);
  const errorLines = readErrorLines(logsDir, begunMs, stopMs);
  const limits = { ...limitsOf({ minutes, callers }), recoveryMs };
  const sources = { databaseUrl, objectsDir, log, limits, killedAtStop, deaths, logs, errorLines };
  return { evidence: await readEvidence(sources), acts, broken };
}

async function copyLedger(ledger: LedgerCopy, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    await sleep(ledgerCopyMs, undefined, { signal }).catch(() => undefined);
    await ledger.read();
  }
}

function progressLine({ answers, told, faults }: RunLog): string {
  const memoryMb = Math.round(process.memoryUsage().rss / 1_000_000);
  return `${answers.length} answers, ${told.length} results, ${faults.length} faults; memory of this process ${memoryMb} MB`;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
