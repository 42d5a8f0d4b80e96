import type { FaultKind } from './fault.types.js';

export const objectStoreUnwritable: FaultKind = {
  name: 'object store unwritable',
  draw: ({ objectStore }) => ({
    detail: 'every write fails',
    parts: ['object-store'],
    actsOn: ['object-store'],
    begin: () => objectStore.takeAway(),
    end: () => objectStore.giveBack(),
  }),
};
