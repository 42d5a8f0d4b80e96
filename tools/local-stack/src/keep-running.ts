// How the local platform treats a part that dies: it starts the part again after a pause, and the pauses grow. A part
// that dies again and again has a fault that a restart does not cure. So the platform gives up and says what to do.
import { setTimeout as sleep } from 'node:timers/promises';

/** A part of the platform that runs: a service, the simulator or PostgreSQL. */
export interface RunningPart {
  /** Resolves with a sentence when it ends. */
  ended: Promise<string>;
}

export interface Restarting {
  name: string;
  /** Starts the part again. Resolves once it is ready; rejects when it does not become ready. */
  start: () => Promise<RunningPart>;
  /** What it wrote last, also in a start that failed. */
  lastLines: () => readonly string[];
  report: (line: string) => void;
  /** Aborted when the platform stops: nothing is started after that. */
  signal: AbortSignal;
  pausesMs?: readonly number[];
  steadyMs?: number;
}

/** The first is long enough for a port to become free, their sum for PostgreSQL to recover from a crash. */
const defaultPausesMs = [500, 1_000, 2_000, 5_000, 10_000];
/** After a run of this length, earlier failures no longer count. */
const defaultSteadyMs = 60_000;

/**
 * Starts a part again whenever it ends.
 * @returns what to tell a person after too many restarts; undefined when the platform stops
 */
export async function keepRunning(
  part: RunningPart,
  { name, start, lastLines, report, signal, pausesMs = defaultPausesMs, steadyMs = defaultSteadyMs }: Restarting,
): Promise<string | undefined> {
  const stopped = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  let restarts = 0;
  for (;;) {
    const readyMs = performance.now();
    let end = await Promise.race([part.ended, stopped]);
    if (performance.now() - readyMs > steadyMs) restarts = 0;
    for (let isReady = false; !isReady;) {
      if (signal.aborted || end === undefined) return undefined;
      const pauseMs = pausesMs[restarts];
      if (pauseMs === undefined) return givenUp(name, end, restarts, lastLines());
      restarts += 1;
      report(`${end}; starting it again in ${pauseMs / 1000} s (${restarts} of ${pausesMs.length})`);
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return undefined;
      try {
        part = await start();
        isReady = true;
        report(`${name} runs again`);
      } catch (error) {
        end = error instanceof Error ? error.message : String(error);
      }
    }
  }
}

function givenUp(name: string, end: string, restarts: number, lastLines: readonly string[]): string {
  return [
    `${end}, also after ${restarts} restarts. Find the cause in the log of ${name}, remove it, and run npm start again.`,
    ...(lastLines.length > 0 ? ['Its last lines:', ...lastLines] : []),
  ].join('\n');
}
