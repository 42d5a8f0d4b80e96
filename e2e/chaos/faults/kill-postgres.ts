import type { FaultKind } from './fault.types.js';

export const killPostgres: FaultKind = {
  name: 'kill -9 of PostgreSQL',
  draw: (platform) => ({
    detail: 'postgresql',
    parts: ['postgresql'],
    actsOn: ['postgresql'],
    begin: () => platform.killPostgres(),
    end: () => platform.startPostgres(),
  }),
};
