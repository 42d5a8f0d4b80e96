import { describe, expect, it } from '@jest/globals';
import { keepRunning, type RunningPart } from './keep-running.js';

/** A part that ends when told to, or has ended already. */
function part(): RunningPart & { end: (sentence: string) => void } {
  let end!: (sentence: string) => void;
  const ended = new Promise<string>((resolve) => (end = resolve));
  return { ended, end };
}

function endedPart(sentence: string): RunningPart {
  return { ended: Promise.resolve(sentence) };
}

const lastLines = () => [];

describe('a part of the platform that ends', () => {
  it('is started again, and each line says what happened', async () => {
    const lines: string[] = [];
    const first = part();
    const second = part();
    const stop = new AbortController();
    const kept = keepRunning(first, {
      name: 'identity',
      start: async () => second,
      lastLines,
      report: (line) => {
        lines.push(line);
        if (line.includes('runs again')) stop.abort();
      },
      signal: stop.signal,
      pausesMs: [1],
    });
    first.end('identity ended (SIGKILL)');
    expect(await kept).toBeUndefined();
    expect(lines).toEqual(['identity ended (SIGKILL); starting it again in 0.001 s (1 of 1)', 'identity runs again']);
  });

  it('is given up after the last pause, with its last lines and what to do', async () => {
    const lines: string[] = [];
    let written = 'service started';
    const sentence = await keepRunning(endedPart('identity ended (SIGKILL)'), {
      name: 'identity',
      start: async () => {
        written = 'no disk space';
        throw new Error('identity ended (exit code 1)');
      },
      lastLines: () => [written],
      report: (line) => lines.push(line),
      signal: new AbortController().signal,
      pausesMs: [1, 2, 3],
    });
    expect(
      lines.filter((line) => line.includes('starting it again')).map((line) => /again in (.*) s/.exec(line)?.[1]),
    ).toEqual(['0.001', '0.002', '0.003']);
    expect(sentence).toBe(
      'identity ended (exit code 1), also after 3 restarts. ' +
        'Find the cause in the log of identity, remove it, and run npm start again.\n' +
        'Its last lines:\nno disk space',
    );
  });

  it('counts a restart that does not become ready as one more failure', async () => {
    let starts = 0;
    const sentence = await keepRunning(endedPart('PostgreSQL ended (SIGKILL)'), {
      name: 'PostgreSQL',
      start: async () => {
        starts += 1;
        throw new Error('PostgreSQL was not ready within 60 s');
      },
      lastLines,
      report: () => undefined,
      signal: new AbortController().signal,
      pausesMs: [1, 1],
    });
    expect(starts).toBe(2);
    expect(sentence).toContain('PostgreSQL was not ready within 60 s, also after 2 restarts');
  });

  it('has all its restarts again once it has run for a while', async () => {
    let starts = 0;
    const stop = new AbortController();
    const kept = await keepRunning(endedPart('identity ended (SIGKILL)'), {
      name: 'identity',
      start: async () => {
        starts += 1;
        if (starts === 5) stop.abort();
        return { ended: new Promise((resolve) => setTimeout(resolve, 20, 'identity ended (SIGKILL)')) };
      },
      lastLines,
      report: () => undefined,
      signal: stop.signal,
      pausesMs: [1],
      steadyMs: 5,
    });
    expect(kept).toBeUndefined();
    expect(starts).toBe(5);
  });

  it('is left alone once the platform stops, also in the middle of a pause', async () => {
    const stop = new AbortController();
    const kept = keepRunning(endedPart('identity ended (SIGKILL)'), {
      name: 'identity',
      start: async () => {
        throw new Error('started after the stop');
      },
      lastLines,
      report: () => stop.abort(),
      signal: stop.signal,
      pausesMs: [60_000],
    });
    expect(await kept).toBeUndefined();
  });
});
