// A thousand targets in requests of a hundred: how long until all have started, and until all items are stored.
import { call, until } from '../../src/http.js';
import type { Target } from '../../src/target.types.js';

const path = '/scraper/network/interactions';
const requests = 10;
const targetsOfRequest = 100;
const timeoutMs = 600_000;
/** The time until all are stored may exceed that until all have started by so much, seconds. */
const storingSecondsMax = 15;

export interface ThousandTargets {
  targets: number;
  startedSeconds: number;
  storedSeconds: number;
  /** Jobs that did not become COMPLETED. */
  failed: number;
}

export async function thousandTargets({ urls }: Target): Promise<ThousandTargets> {
  const company = `load-${process.pid}`;
  const begunMs = performance.now();
  const seconds = () => (performance.now() - begunMs) / 1000;
  const base = `${urls.interactions}${path}`;
  await Promise.all(
    Array.from({ length: requests }, async (_, request) => {
      const targets = Array.from({ length: targetsOfRequest }, (__, n) => ({
        network_handle: `thousand-${process.pid}-${request}-${n}`,
        entity: 'PERSON',
      }));
      const { status } = await call('POST', base, { body: { user_company_id: company, targets } });
      if (status !== 200) throw new Error(`a request of ${targetsOfRequest} targets was answered ${status}`);
    }),
  );
  const withStatus = async (status: string) => {
    const query = new URLSearchParams({ user_company_id: company, status, limit: '1' });
    return (await call<{ interactions: unknown[] }>('GET', `${base}?${query.toString()}`)).body.interactions.length;
  };
  const untilNone = (status: string) =>
    until(`no job is ${status}`, timeoutMs, async () => ((await withStatus(status)) === 0 ? true : undefined));
  await untilNone('PENDING');
  const startedSeconds = seconds();
  await untilNone('RUNNING');
  const failed = (await withStatus('FAILED')) + (await withStatus('ABORTED'));
  return { targets: requests * targetsOfRequest, startedSeconds, storedSeconds: seconds(), failed };
}

export function thousandFindings({ startedSeconds, storedSeconds, failed }: ThousandTargets): string[] {
  return [
    ...(failed > 0 ? ['not every one of a thousand targets was completed'] : []),
    ...(storedSeconds - startedSeconds > storingSecondsMax
      ? [
          `a thousand targets had started after ${startedSeconds.toFixed(0)} s, and were stored only after ${storedSeconds.toFixed(0)} s`,
        ]
      : []),
  ];
}
