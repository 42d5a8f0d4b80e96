import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import type { FaultKind } from './fault.types.js';

/** A file in the place of the folder: no permission would stop a service that runs as root. */
export const objectStoreUnwritable: FaultKind = {
  name: 'object store unwritable',
  draw({ objectsDir }) {
    const away = `${objectsDir}.away`;
    return {
      detail: 'every write fails',
      parts: ['object-store'],
      actsOn: ['object-store'],
      begin: async () => {
        await mkdir(objectsDir, { recursive: true });
        await rename(objectsDir, away);
        await writeFile(objectsDir, '');
      },
      end: async () => {
        await rm(objectsDir);
        await rename(away, objectsDir);
      },
    };
  },
};
