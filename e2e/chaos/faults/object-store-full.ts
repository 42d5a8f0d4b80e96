import { execFileSync } from 'node:child_process';
import type { ChaosPlatform } from '../platform/platform.js';
import type { FaultKind } from './fault.types.js';

/** A few bytes of a file are written, the rest is refused: what a full disk does, for the writers of objects alone. */
const fullAtBytes = '16';

export const objectStoreFull: FaultKind = {
  name: 'object store full',
  draw: (platform) => ({
    detail: `no file longer than ${fullAtBytes} bytes`,
    parts: ['object-store'],
    actsOn: ['object-store'],
    begin: () => limitFiles(platform, fullAtBytes),
    end: () => limitFiles(platform, 'unlimited'),
  }),
};

/** The soft limit of each writer; its log is a file too and loses lines meanwhile. Does nothing outside Linux. */
function limitFiles(platform: ChaosPlatform, bytes: string): void {
  if (process.platform !== 'linux') return;
  for (const { pid } of platform.replicasOf('priority-webhook')) {
    if (pid !== undefined) execFileSync('prlimit', ['--pid', String(pid), `--fsize=${bytes}:`]);
  }
}
