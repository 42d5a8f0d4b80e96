// `npm run pictures`: the pictures of the README, one for each kind of user, taken on the platform that `npm start`
// runs.
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { launchBrowser } from '@tradewind/testkit';
import { demoAccounts } from './demo-accounts.js';
import { callJson } from './demo-http.js';
import { portOf, type LocalProcessName } from './ports.js';
import { readSettings } from './settings.js';

const rootDir = fileURLToPath(new URL('../../../', import.meta.url));
const { portBase } = readSettings(process.env, rootDir);
const folder = join(rootDir, 'docs/pictures');
const [user, administrator] = demoAccounts;
const address = (name: LocalProcessName) => `http://localhost:${portOf(portBase, name)}`;

type Page = Awaited<ReturnType<Awaited<ReturnType<typeof launchBrowser>>['newPage']>>;

/** A query and its answer. */
async function explorer(page: Page): Promise<void> {
  await page.goto(`${address('graphql-gateway')}/explorer`);
  await page.getByText('No key yet?').click();
  await page.getByLabel('Email').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Make a key' }).click();
  await page.getByText('A key for one day').waitFor();
  await page.getByRole('button', { name: 'Execute query' }).click();
  await page.locator('.result-window').getByText('totalCount').waitFor();
  // The tooltip at the pointer would cover a part of the editor.
  await page.mouse.move(0, 0);
  await page.getByRole('tooltip').first().waitFor({ state: 'hidden' });
}

/** Signs the administrator in at the console. */
async function signIn(page: Page, screen: string): Promise<void> {
  await page.goto(address('console') + screen);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByLabel('Email address').fill(administrator.email);
  await page.getByLabel('Password', { exact: true }).fill(administrator.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  // Only the first time: identity remembers what was allowed.
  const allow = page.getByRole('button', { name: 'Allow' });
  const signOut = page.getByRole('button', { name: 'Sign out' });
  await allow.or(signOut).waitFor();
  if (await allow.isVisible()) await allow.click();
  await signOut.waitFor();
  await page.waitForLoadState('networkidle');
}

/** What needs attention, what runs, and the last days. */
const overview = (page: Page): Promise<void> => signIn(page, '/');

/** Jobs that have ended and some that run. */
async function jobs(page: Page): Promise<void> {
  const path = `${address('interactions')}/scraper/network/interactions`;
  const start = (company: string, handles: string[]) =>
    callJson(path, {
      user_company_id: company,
      targets: handles.map((network_handle) => ({ network_handle, entity: 'PERSON' })),
    });
  await start('demo-company', ['ada-lovelace', 'grace-hopper', 'alan-turing', 'katherine-johnson']);
  const ended = async () => (await (await fetch(`${path}?status=COMPLETED`)).text()).split('"COMPLETED"').length - 1;
  for (let tries = 0; tries < 120 && (await ended()) < 4; tries++) await page.waitForTimeout(500);
  await start('harbour', ['edsger-dijkstra', 'barbara-liskov']);
  await signIn(page, '/jobs');
}

/** How far the profiles of this month are, while they are on their way. */
async function months(page: Page): Promise<void> {
  const { month } = await callJson<{ month: string }>(`${address('coordinator')}/run`, {});
  const report = `${address('coordinator')}/months/${month}/report?names=1`;
  const areSomeStored = async () => {
    const { selected, stored } = await callJson<{ selected: number; stored: number }>(report);
    return stored > selected / 10;
  };
  for (let tries = 0; tries < 240 && !(await areSomeStored()); tries++) await page.waitForTimeout(500);
  await signIn(page, `/months?month=${month}`);
  await page.getByRole('region', { name: 'Progress' }).scrollIntoViewIfNeeded();
}

/** What the operator commands print. */
async function commands(page: Page): Promise<void> {
  const lines = ['identity user list', 'graphql-gateway key list', 'identity audit --help', 'interactions budget list'];
  const outputs: string[] = [];
  for (const line of lines) {
    const words = [join(rootDir, 'tools/workspace/tradewind.mjs'), ...line.split(' ')];
    const { stdout } = await promisify(execFile)(process.execPath, words, { cwd: rootDir });
    outputs.push(`$ npx tradewind ${line}\n${stdout}`);
  }
  const text = outputs.join('\n').replaceAll('&', '&amp;').replaceAll('<', '&lt;');
  await page.setContent(`<body style="margin:0;background:#12202e;color:#e6edf3">
    <pre style="padding:24px;font:14px/1.4 monospace">${text}</pre>`);
}

/** What an agent that registered itself asks its user. */
async function consent(page: Page): Promise<void> {
  const redirectUri = 'http://localhost:4999/callback';
  const { client_id: clientId } = await callJson<{ client_id: string }>(`${address('identity')}/oauth/reg`, {
    client_name: 'Research agent',
    redirect_uris: [redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: 'none',
  });
  const query = new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'openid profile offline_access',
    code_challenge: createHash('sha256').update('picture').digest('base64url'),
    code_challenge_method: 'S256',
    state: 'picture',
  });
  await page.goto(`${address('identity')}/oauth/auth?${query.toString()}`);
  await page.getByLabel('Email address').fill(user.email);
  await page.getByLabel('Password').fill(user.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('button', { name: 'Allow' }).waitFor();
}

/** By name: what opens the page, and the width of the window. All have the same shape, for the table of the README. */
const pictures = {
  jobs: [jobs, 1100],
  months: [months, 1100],
  // After them, so that its charts have something to show.
  overview: [overview, 1100],
  explorer: [explorer, 1000],
  commands: [commands, 1000],
  consent: [consent, 1250],
} as const;

mkdirSync(folder, { recursive: true });
const browser = await launchBrowser();
try {
  for (const [name, [open, width]] of Object.entries(pictures)) {
    const context = await browser.newContext({ locale: 'en-GB', viewport: { width, height: width * 0.64 } });
    const page = await context.newPage();
    await open(page);
    await page.screenshot({ path: join(folder, `${name}.png`) });
    console.log(`docs/pictures/${name}.png`);
    await context.close();
  }
} finally {
  await browser.close();
}
