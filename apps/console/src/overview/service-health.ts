// Whether a service works, as it says itself, and what it depends on.
import { useQueries } from '@tanstack/react-query';
import { useConsole } from '../console-context';
import { serviceNames, type ServiceName } from '../settings';
import { fromReadiness, type Readiness, type ServiceHealth } from './readiness';

const askMs = 10_000;

/** Of all services; undefined while one is asked for the first time. */
export function useHealth(): Record<ServiceName, ServiceHealth | undefined> {
  const { settings } = useConsole();
  const answers = useQueries({
    queries: serviceNames.map((name) => ({
      queryKey: ['health', name],
      queryFn: () => healthOf(settings.services[name]),
      refetchInterval: askMs,
    })),
  });
  return Object.fromEntries(serviceNames.map((name, index) => [name, answers[index]!.data])) as Record<
    ServiceName,
    ServiceHealth | undefined
  >;
}

/** `/ready` names the dependencies, but only inside a cluster; elsewhere there is `/health`. */
async function healthOf(base: string): Promise<ServiceHealth> {
  try {
    const ready = await fetch(`${base}/ready`);
    if (ready.status === 200 || ready.status === 503) {
      // The only bodies with these statuses are its own, and a proxy's, which is no JSON.
      return fromReadiness((await ready.json()) as Readiness);
    }
    const health = await fetch(`${base}/health`);
    const note = 'What it depends on is shown inside the cluster alone.';
    return { state: health.ok ? 'ready' : 'not_ready', dependencies: [], note };
  } catch {
    return { state: 'not_ready', dependencies: [], note: 'It does not answer.' };
  }
}
