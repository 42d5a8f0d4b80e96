// `npm run fuzz -- --requests N --seed S`: hostile requests to every service. The exit code is 0 only without findings.
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { PlatformProcess } from '../src/platform-process.js';
import { reportLines } from './report.js';
import { type FuzzOptions, runFuzz } from './run-fuzz.js';
import { withBrowsers } from './signed-in-browsers.js';
import { dataToken, localTarget, wideLimits } from '../src/local-target.js';
import type { Target } from '../src/target.types.js';

/** Within the lifetime of an access token, 15 minutes. */
const renewMs = 10 * 60_000;

function readOptions(): FuzzOptions & { targetFile?: string } {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string', default: '10000' },
      seed: { type: 'string', default: '1' },
      only: { type: 'string' },
      at: { type: 'string' },
      target: { type: 'string' },
    },
  });
  const requests = Number(values.requests);
  const seed = Number(values.seed);
  if (!Number.isInteger(requests) || requests < 1) throw new Error('--requests must be a positive whole number');
  if (!Number.isInteger(seed) || seed < 0) throw new Error('--seed must be a whole number');
  return {
    ...{ requests, seed },
    ...(values.only === undefined ? {} : { only: values.only }),
    ...(values.at === undefined ? {} : { at: values.at }),
    ...(values.target === undefined ? {} : { targetFile: values.target }),
  };
}

async function fuzz(target: Target, options: FuzzOptions): Promise<boolean> {
  const startedMs = Date.now();
  const result = await runFuzz(target, { ...options, report: (line) => console.log(line) });
  const seconds = Math.round((Date.now() - startedMs) / 1000);
  console.log(reportLines(result).join('\n'));
  console.log(
    `\n${result.findings.length} findings in ${seconds} s. Seed ${options.seed}, ${new Date().toISOString()}.`,
  );
  return result.findings.length === 0;
}

async function main(): Promise<number> {
  const { targetFile, ...options } = readOptions();
  if (targetFile !== undefined) {
    // The file is written by the person who runs this; its shape is that of `Target`.
    return (await fuzz(JSON.parse(readFileSync(targetFile, 'utf8')) as Target, options)) ? 0 : 1;
  }
  console.log('starting a platform');
  const platform = await PlatformProcess.start({ env: wideLimits });
  let isClean = false;
  let renewal: NodeJS.Timeout | undefined;
  try {
    const target = await withBrowsers(await localTarget(platform), platform);
    renewal = setInterval(() => {
      // A failure ends the run: without a token the answers are 401, which say nothing.
      void dataToken(platform).then((token) => (target.tokens.data = token));
    }, renewMs);
    isClean = await fuzz(target, options);
  } finally {
    clearInterval(renewal);
    if (isClean) await platform.remove();
    else {
      platform.signal('SIGINT');
      await platform.ended;
      console.log(`Logs and data stay in ${platform.dataDir}.`);
    }
  }
  return isClean ? 0 : 1;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(error);
  process.exitCode = 1;
}
