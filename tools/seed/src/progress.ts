// Progress for people: a bar on a terminal, and a line every ten seconds otherwise.
import cliProgress, { type SingleBar } from 'cli-progress';

/** Without a terminal, a load below this is over before a line of progress would help. */
const loggedMin = 100_000;

export function startProgress(label: string, total: number): SingleBar | undefined {
  if (!process.stderr.isTTY && total < loggedMin) return undefined;
  const format = `${label.padEnd(10)} {bar} {percentage}% | {value}/{total} | {eta_formatted} left`;
  const options = { format, hideCursor: true, etaBuffer: 50, noTTYOutput: true, notTTYSchedule: 10_000 };
  const bar = new cliProgress.SingleBar(options, cliProgress.Presets.shades_classic);
  bar.start(total, 0);
  return bar;
}
