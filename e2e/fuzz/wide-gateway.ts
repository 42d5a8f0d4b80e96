// One more graphql-gateway on the database of a platform, with wide limits.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { compileCacheSetting, freePort } from '@tradewind/testkit';
import { until } from '../src/http.js';
import { wideLimits } from '../src/local-target.js';
import { type PlatformProcess, rootDir, startTimeoutMs } from '../src/platform-process.js';
import type { Target } from '../src/target.types.js';

export interface WideGateway {
  url: string;
  metricsUrl: string;
  processId: number;
  stop(): Promise<void>;
}

export async function startWideGateway(
  { dataDir }: PlatformProcess,
  more: Record<string, string> = {},
): Promise<WideGateway> {
  const [port, metricsPort] = [await freePort(), await freePort()];
  const settings = parseEnv(readFileSync(join(dataDir, 'settings/graphql-gateway.env'), 'utf8'));
  const log = openSync(join(dataDir, 'logs/graphql-gateway.log'), 'a');
  const preload = join(rootDir, 'tools/local-stack/dist/collect-garbage.js');
  const main = join(rootDir, 'apps/graphql-gateway/dist/main.js');
  const child = spawn(process.execPath, ['--import', preload, main], {
    env: {
      ...{ ...settings, ...wideLimits, PATH: process.env['PATH'] ?? '', LOG_LEVEL: 'info' },
      ...compileCacheSetting(),
      ...more,
      ...{ HOST: '127.0.0.1', PORT: String(port), METRICS_PORT: String(metricsPort) },
    },
    stdio: ['ignore', log, log],
  });
  const url = `http://127.0.0.1:${port}`;
  const stop = async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill('SIGTERM');
    await once(child, 'close');
  };
  try {
    await until('the gateway with wide limits', startTimeoutMs, async () =>
      (await fetch(`${url}/ready`).catch(() => undefined))?.ok ? true : undefined,
    );
  } catch (error) {
    await stop();
    throw error;
  }
  return { url, metricsUrl: `http://127.0.0.1:${metricsPort}`, processId: child.pid ?? 0, stop };
}

/** The target with this gateway in place of its own. */
export function withGateway(target: Target, { url, metricsUrl, processId }: WideGateway): Target {
  return {
    ...target,
    urls: { ...target.urls, 'graphql-gateway': url },
    metricsUrls: { ...target.metricsUrls, 'graphql-gateway': metricsUrl },
    processIds: { ...target.processIds, 'graphql-gateway': processId },
  };
}
