// `npm run load`: finds what a pod holds, sends 1, 2 and 4 times as much, and watches the recovery.
// `npm run load -- --soak MINUTES`: all operations at moderate rates. The exit code is 0 only without findings.
import { parseArgs } from 'node:util';
import { Random } from '@tradewind/provider-simulator';
import { Meter } from '../src/meter.js';
import { localTarget, wideLimits } from '../src/local-target.js';
import type { Target } from '../src/target.types.js';
import { PlatformProcess } from '../src/platform-process.js';
import { OpenLoop } from './generator/open-loop.js';
import { allOperations } from './operations/all-operations.js';
import type { LoadOperation } from './operations/operation.types.js';
import { overloadTable, soakTable } from './report.js';
import { overload } from './steps/overload.js';
import { findingsOf } from './steps/rules.js';
import { soak, soakFindings } from './steps/soak.js';
import { thousandFindings, thousandTargets } from './steps/thousand-targets.js';

interface Options {
  seed: string;
  seconds: number;
  soakMinutes: number;
  operations: readonly LoadOperation[];
  hasThousandTargets: boolean;
}

const thousandTargetsName = 'interactions: a thousand targets';

function readOptions(): Options {
  const { values } = parseArgs({
    options: {
      seed: { type: 'string', default: '1' },
      seconds: { type: 'string', default: '5' },
      soak: { type: 'string', default: '0' },
      only: { type: 'string', multiple: true, default: [''] },
    },
  });
  const seconds = Number(values.seconds);
  const soakMinutes = Number(values.soak);
  if (!(seconds > 0)) throw new Error('--seconds must be a positive number');
  if (!(soakMinutes >= 0)) throw new Error('--soak must be a number of minutes');
  const isWanted = (name: string) => values.only.some((text) => name.includes(text));
  const operations = allOperations.filter(({ name, service }) => isWanted(`${service}: ${name}`));
  const hasThousandTargets = isWanted(thousandTargetsName);
  if (operations.length === 0 && !hasThousandTargets) {
    const names = [...allOperations.map(({ name, service }) => `${service}: ${name}`), thousandTargetsName];
    throw new Error(`Nothing contains "${values.only.join('", "')}". There are:\n${names.join('\n')}`);
  }
  return { seed: values.seed, seconds, soakMinutes, operations, hasThousandTargets };
}

async function prepared(operation: LoadOperation, target: Target, seed: string): Promise<OpenLoop> {
  const traffic = await operation.prepare(target, new Random(`${seed}/${operation.name}`));
  return new OpenLoop(new URL(target.urls[operation.service]!), traffic);
}

/** Answers the findings. */
async function runOverload(target: Target, options: Options): Promise<string[]> {
  const { operations, seed, seconds, hasThousandTargets } = options;
  const meters = Meter.all(target);
  const results = [];
  // First, while nothing is left to do of other operations.
  const thousand = hasThousandTargets ? await thousandTargets(target) : undefined;
  if (thousand !== undefined) {
    const [started, stored] = [thousand.startedSeconds, thousand.storedSeconds].map((value) => value.toFixed(1));
    console.log(`1,000 targets: started after ${started} s, stored after ${stored} s`);
  }
  for (const operation of operations) {
    console.log(`${operation.service}: ${operation.name}`);
    const loop = await prepared(operation, target, seed);
    const meter = meters.get(operation.service)!;
    const result = await overload({ operation, loop, meter, seconds }, (line) => console.log(line));
    results.push(result);
    // At once as well, for a run that is cut off.
    console.log(overloadTable([result]).join('\n'));
    loop.close();
  }
  if (results.length > 0) console.log(`\n${overloadTable(results).join('\n')}\n`);
  return [...results.flatMap(findingsOf), ...(thousand === undefined ? [] : thousandFindings(thousand))];
}

/** Answers the findings. */
async function runSoak(target: Target, { operations, seed, soakMinutes }: Options): Promise<string[]> {
  const parts = [];
  for (const operation of operations) parts.push({ operation, loop: await prepared(operation, target, seed) });
  const result = await soak(parts, [...Meter.all(target).values()], soakMinutes * 60);
  for (const { loop } of parts) loop.close();
  console.log(`\n${soakTable(result).join('\n')}\n`);
  return soakFindings(result);
}

async function main(): Promise<number> {
  const options = readOptions();
  console.log('starting a platform');
  const platform = await PlatformProcess.start({ env: { ...wideLimits, LOG_LEVEL: 'warn' } });
  let findings: string[] | undefined;
  try {
    const target = await localTarget(platform);
    findings = await (options.soakMinutes > 0 ? runSoak : runOverload)(target, options);
  } finally {
    if (findings?.length === 0) await platform.remove();
    else {
      platform.signal('SIGINT');
      await platform.ended;
      console.log(`Logs and data stay in ${platform.dataDir}.`);
    }
  }
  for (const finding of findings) console.log(`✗ ${finding}`);
  console.log(`${findings.length} findings. Seed ${options.seed}, ${new Date().toISOString()}.`);
  return findings.length === 0 ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
