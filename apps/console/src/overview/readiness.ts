// What a service says of itself at `/ready`, as the overview shows it. Pure.

export interface Readiness {
  status: 'ready' | 'not_ready';
  dependencies: Record<string, 'up' | 'down'>;
  degraded?: Record<string, string>;
}

export interface ServiceHealth {
  state: 'ready' | 'degraded' | 'not_ready';
  dependencies: { name: string; isUp: boolean; consequence: string | undefined }[];
  /** Why nothing is known of its dependencies. */
  note: string | undefined;
}

export function fromReadiness({ status, dependencies, degraded = {} }: Readiness): ServiceHealth {
  const list = Object.entries(dependencies).map(([name, state]) => ({
    name,
    isUp: state === 'up',
    consequence: degraded[name],
  }));
  const isDegraded = status === 'ready' && list.some(({ isUp }) => !isUp);
  return { state: isDegraded ? 'degraded' : status, dependencies: list, note: undefined };
}
