// `npm start [-- --explore]`: the whole platform on embedded parts, until Ctrl-C. `npm run dev [-- SERVICE...]`: the
// same, with services that run from source and reload.
import { fileURLToPath } from 'node:url';
import { interruption } from './interruption.js';
import { Platform } from './platform.js';
import { serviceNames } from './ports.js';
import { readSettings } from './settings.js';
import { startOptions } from './start-options.js';
import { failure, step, welcomePage } from './welcome-page.js';

const rootDir = fileURLToPath(new URL('../../../', import.meta.url));

async function main(): Promise<number> {
  const { isExploring, reloading } = startOptions(process.argv.slice(2), serviceNames);
  const settings = readSettings(process.env, rootDir, isExploring);
  const platform = await Platform.open(settings, (line) => console.log(step(line)), reloading);

  // From here on an interruption must stop the platform, ready or not.
  const interrupted = interruption(() => platform.kill()).then(() => 'interrupted' as const);

  const failed = platform.failed.then((sentence) => {
    throw new Error(sentence);
  });
  let exitCode = 0;
  try {
    const outcome = await Promise.race([platform.start().then(() => 'ready' as const), failed, interrupted]);
    if (outcome === 'ready') {
      console.log(welcomePage(settings, reloading));
      await Promise.race([failed, interrupted]);
    }
    console.log(step('stopping'));
  } catch (error) {
    exitCode = 1;
    console.error(failure(error instanceof Error ? error.message : String(error), settings));
  }
  await platform.stop();
  if (exitCode === 0) console.log(step('stopped; everything is kept, the next start goes on where this one ended'));
  return exitCode;
}

try {
  process.exitCode = await main();
} catch (error) {
  console.error(failure(error instanceof Error ? error.message : String(error)));
  process.exitCode = 1;
}
