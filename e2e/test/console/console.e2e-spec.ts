// The console in Chromium, every screen and flow, as a person goes through them. One platform for all suites: starting
// it is the slowest step. Months come first, since their first screen must be empty.
import { afterAll, beforeAll, jest } from '@jest/globals';
import { launchBrowser } from '@tradewind/testkit';
import type { Browser } from 'playwright-core';
import { createUsers } from '../../src/create-users.js';
import { PlatformProcess, startTimeoutMs } from '../../src/platform-process.js';
import { describeAccess } from './access.suite.js';
import { describeAdministrators } from './administrators.suite.js';
import { accounts, callsPerDay, ConsoleVisitor } from './console-visitor.js';
import { describeData } from './data.suite.js';
import { describeJobs } from './jobs.suite.js';
import { describeKeys } from './keys.suite.js';
import { describeLooks } from './looks.suite.js';
import { describeMonths } from './months.suite.js';
import { describeSigningKeys } from './signing-keys.suite.js';

// Two cores may be busy with other tests at the same time.
jest.setTimeout(120_000);

let platform: PlatformProcess;
let browser: Browser;
let atConsole: ConsoleVisitor;
beforeAll(async () => {
  [platform, browser] = await Promise.all([
    PlatformProcess.start({ env: { REQUESTS_PER_MINUTE: '100000', DATA_CALLS_PER_DAY: String(callsPerDay) } }),
    launchBrowser(),
  ]);
  atConsole = new ConsoleVisitor(platform, browser);
  await createUsers(platform, [accounts.caller, accounts.leaver]);
}, startTimeoutMs + 30_000);
afterAll(async () => {
  await browser?.close();
  await platform?.remove();
}, 60_000);

const visitor = () => atConsole;
describeAccess(visitor);
describeMonths(visitor);
describeJobs(visitor);
describeKeys(visitor);
describeData(visitor);
describeAdministrators(visitor);
describeLooks(visitor);
// The last: services may refuse tokens of a key that they have not read yet.
describeSigningKeys(visitor);
