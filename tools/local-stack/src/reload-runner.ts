// `npm run dev`: runs a service from its source, and starts it again at each message. Most of a start is loading
// packages. So a second process has loaded them before, and takes the place of the first.
//   node reload-runner.js SOURCE_HOOKS DEBUGGER_PORT ENTRY [options of Node]
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { restarting } from './reload.js';
import type { StandbyOptions } from './standby.types.js';

/** A service that has loaded nothing further for this long is taken for started. */
const quietMs = 1_000;
/** Further files of the same change. */
const joinMs = 50;
/** Services promise to end within 10 s of SIGTERM. */
const stopTimeoutMs = 11_000;

const [sourceHooks = '', debuggerPort, entry = '', ...nodeOptions] = process.argv.slice(2);
const here = (file: string) => new URL(file, import.meta.url).href;
const preloads = [sourceHooks, here('./end-with-parent.js'), here('./standby.js')].flatMap((url) => ['--import', url]);

const loaded = new Set<string>();
let current: ChildProcess;
let standby: ChildProcess | undefined;
let quiet: NodeJS.Timeout | undefined;
let isChanged = false;

function launch(): ChildProcess {
  const child = fork(entry, { execArgv: ['--conditions=@tradewind/source', ...nodeOptions, ...preloads] });
  tell(child, { loaded: [...loaded], sourceHooks, debuggerPort: Number(debuggerPort) } satisfies StandbyOptions);
  child.on('message', (urls: string[]) => {
    for (const url of urls) loaded.add(url);
    clearTimeout(quiet);
    quiet = setTimeout(() => (standby ??= launch()), quietMs);
  });
  child.once('exit', () => {
    if (child === standby) standby = undefined;
  });
  return child;
}

// That it has ended is seen elsewhere.
const tell = (child: ChildProcess, message: object | string) => child.send(message, () => undefined);

const sayEnded = () => console.log('ended; the next change starts it again');

async function stop(child: ChildProcess): Promise<void> {
  clearTimeout(quiet);
  child.off('exit', sayEnded);
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  const timeout = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs);
  await ended;
  clearTimeout(timeout);
}

process.on('message', () => (isChanged = true));
// Without a service that runs, the channel is all that keeps this program.
process.channel?.ref();
process.once('SIGTERM', () => {
  standby?.kill('SIGKILL');
  void stop(current).then(() => process.exit());
});

for (;;) {
  current = standby ?? launch();
  standby = undefined;
  current.once('exit', sayEnded);
  tell(current, 'start');
  if (!isChanged) await once(process, 'message');
  console.log(restarting);
  await sleep(joinMs);
  await stop(current);
  isChanged = false;
}
