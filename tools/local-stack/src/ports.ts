import { createServer } from 'node:net';

// Node alone runs this file before the build (start.mjs): erasable TypeScript only, and no relative imports.

/** What listens where, relative to PORT_BASE. */
const portOffsets = {
  identity: 0,
  'graphql-gateway': 1,
  interactions: 2,
  'priority-api': 3,
  'priority-webhook': 4,
  coordinator: 5,
  console: 6,
  'provider-simulator': 10,
  'mail catcher': 11,
  'mail server': 12,
  postgresql: 432,
} as const;

export type LocalProcessName = keyof typeof portOffsets;

/** The six services, in the order in which a request meets them. */
export const serviceNames = [
  'identity',
  'graphql-gateway',
  'interactions',
  'priority-api',
  'priority-webhook',
  'coordinator',
] as const satisfies readonly LocalProcessName[];

export type ServiceName = (typeof serviceNames)[number];

/** Metrics of a service are served this far above its port. */
export const metricsOffset = 1000;

/** The debugger of a service that `npm run dev` reloads listens this far above its port. */
export const debuggerOffset = 500;

export function portOf(portBase: number, name: LocalProcessName): number {
  return portBase + portOffsets[name];
}

/**
 * Throws a sentence that names those ports of a platform that something else listens on.
 * @param options whether PostgreSQL is the embedded one, and which services have a debugger
 */
export async function assertPortsFree(
  portBase: number,
  { isDatabaseEmbedded, debugged = [] }: { isDatabaseEmbedded: boolean; debugged?: readonly LocalProcessName[] },
): Promise<void> {
  const taken: string[] = [];
  for (const [name, port] of portsOf(portBase, debugged)) {
    if (name === 'postgresql' && !isDatabaseEmbedded) continue;
    if (!(await isFree(port))) taken.push(`${port} (${name})`);
  }
  if (taken.length === 0) return;
  throw new Error(
    `Something else already listens on ${taken.join(', ')}.\n` +
      `Stop it, or choose other ports: PORT_BASE=${portBase + 1100} DATA_DIR=.data-2 npm start`,
  );
}

function portsOf(portBase: number, debugged: readonly LocalProcessName[]): [string, number][] {
  const names = Object.keys(portOffsets) as LocalProcessName[];
  return [
    ...names.map((name): [string, number] => [name, portOf(portBase, name)]),
    ...serviceNames.map((name): [string, number] => [`metrics of ${name}`, portOf(portBase, name) + metricsOffset]),
    ...debugged.map((name): [string, number] => [`debugger of ${name}`, portOf(portBase, name) + debuggerOffset]),
  ];
}

async function isFree(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once('error', () => resolve(false));
    probe.listen(port, '127.0.0.1', () => probe.close(() => resolve(true)));
  });
}
