import { resolve } from 'node:path';

/** What a person can choose about the local platform, from the environment. */
export interface LocalSettings {
  /** Port of identity; the others follow from it (see services.ts). Default 4000. */
  portBase: number;
  /** Folder that holds all state; deleting it starts afresh. Default .data in the checkout. */
  dataDir: string;
  /** An outside PostgreSQL. Absent: the embedded one, on port base + 432. */
  databaseUrl: string | undefined;
  /** Folder of compiled code, as Node's own setting names it. Absent: one in the data folder. */
  compileCacheDir: string | undefined;
  /** Root of the checkout. */
  rootDir: string;
  dataLimits: DataLimits;
}

/** Limits of the data API, as the gateway's settings of these names. */
export interface DataLimits {
  /** Records of one page. */
  DATA_PAGE_SIZE: string;
  /** Data calls of one user in one UTC day. */
  DATA_CALLS_PER_DAY: string;
  /** Other requests in 60 s. */
  REQUESTS_PER_MINUTE: string;
}

/** Those of production, so that what works here works there. */
const specifiedLimits: DataLimits = { DATA_PAGE_SIZE: '1', DATA_CALLS_PER_DAY: '10', REQUESTS_PER_MINUTE: '100' };

/** Enough to look around for a day. */
export const exploringLimits = { DATA_PAGE_SIZE: '25', DATA_CALLS_PER_DAY: '10000' } as const;

/** Lowest base that is no privileged port, and highest whose metrics ports (base + 1010) still exist. */
const portBaseMin = 1024;
const portBaseMax = 64_000;

/**
 * Reads and checks the settings; throws one message that names every fault.
 * @param isExploring asked for by `npm start -- --explore`; a limit that the environment names wins.
 */
export function readSettings(env: NodeJS.ProcessEnv, rootDir: string, isExploring = false): LocalSettings {
  const faults: string[] = [];
  const portBase = Number(env['PORT_BASE'] || '4000');
  if (!Number.isInteger(portBase) || portBase < portBaseMin || portBase > portBaseMax) {
    faults.push(`PORT_BASE must be a whole number from ${portBaseMin} to ${portBaseMax}, not "${env['PORT_BASE']}"`);
  }
  const databaseUrl = env['DATABASE_URL'] || undefined;
  if (databaseUrl !== undefined && !/^postgres(ql)?:\/\//.test(databaseUrl)) {
    faults.push('DATABASE_URL must begin with postgres:// or postgresql://');
  }
  if (faults.length > 0) throw new Error(faults.join('\n'));
  const dataLimits = { ...specifiedLimits, ...(isExploring ? exploringLimits : {}) };
  for (const name of Object.keys(dataLimits) as (keyof DataLimits)[]) dataLimits[name] = env[name] || dataLimits[name];
  return {
    portBase,
    dataDir: resolve(rootDir, env['DATA_DIR'] || '.data'),
    databaseUrl,
    compileCacheDir: env['NODE_COMPILE_CACHE'] || undefined,
    rootDir,
    dataLimits,
  };
}
