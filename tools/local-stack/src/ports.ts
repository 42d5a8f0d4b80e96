import { createServer } from 'node:net';

/** What listens where, relative to PORT_BASE. */
export const portOffsets = {
  identity: 0,
  'graphql-gateway': 1,
  interactions: 2,
  'priority-api': 3,
  'priority-webhook': 4,
  coordinator: 5,
  'provider-simulator': 10,
  postgresql: 432,
} as const;

export type LocalProcessName = keyof typeof portOffsets;

/** Metrics of a service are served this far above its port. */
export const metricsOffset = 1000;

export function portOf(portBase: number, name: LocalProcessName): number {
  return portBase + portOffsets[name];
}

/** Resolves with the names of those of the given ports that something else already listens on. */
export async function takenPorts(ports: ReadonlyMap<string, number>): Promise<string[]> {
  const taken: string[] = [];
  for (const [name, port] of ports) {
    if (!(await isFree(port))) taken.push(`${port} (${name})`);
  }
  return taken;
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
