// One platform for all suites: starting it is the slowest step. The suites depend on one another in nothing but this
// order. The monthly run comes before the demo, which must also pass when the month has been published. The hostile
// requests come last, since they start jobs and runs of all kinds and write anything into paths.
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { SeenSecrets } from '@tradewind/testkit';
import { PlatformProcess, startTimeoutMs } from '../src/platform-process.js';
import { describeClocks } from './suites/clock.suite.js';
import { describeDataApi } from './suites/data-api.suite.js';
import { describeDemo } from './suites/demo.suite.js';
import { describeFuzz } from './suites/fuzz.suite.js';
import { describeInteractions } from './suites/interactions.suite.js';
import { describeLoginPages } from './suites/login-pages.suite.js';
import { describeMonthlyRun } from './suites/monthly-run.suite.js';
import { describeServicePages } from './suites/service-pages.suite.js';
import { describeServices } from './suites/services.suite.js';

// Two cores may be busy with other tests at the same time.
jest.setTimeout(120_000);

const secrets = SeenSecrets.watch();
let running: PlatformProcess;
beforeAll(async () => {
  running = await PlatformProcess.start();
}, startTimeoutMs + 10_000);
afterAll(async () => running?.remove(), 60_000);

const platform = () => running;
describeServices(platform);
describeServicePages(platform);
describeLoginPages(platform);
describeDataApi(platform);
describeInteractions(platform);
describeMonthlyRun(platform);
describeDemo(platform);
describeClocks(platform);

it('no log has a password, token, key or e-mail address of this run', async () => {
  secrets.stop();
  secrets.addSettings(running.dataDir);
  expect(secrets.count).toBeGreaterThan(20);
  const { findings } = await secrets.scanLogs(join(running.dataDir, 'logs'));
  expect(findings).toEqual([]);
});

describeFuzz(platform);
