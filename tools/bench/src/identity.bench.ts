// The targets of the identity service. Userinfo, introspection, refresh and the code flow run beside bare oidc-provider
// with its in-memory adapter. Further targets are round trips to the database, the event loop while passwords are
// checked, and idle memory.
import { execFileSync } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import type { Bench, BenchRow } from './bench.types.js';
import { load } from './http-load.js';
import { Browser, exchange, type FlowTarget, rateOf } from './identity-flow.js';
import { median } from './median.js';
import { besideRow, idleMemoryRow, inRounds, onStage, postJson, type Stage } from './stage.js';

const serviceMain = new URL('../../../apps/identity/dist/main.js', import.meta.url);
const peerMain = new URL('./identity-peer.js', import.meta.url);
const offline = 'openid profile email offline_access';
const account = { email: 'bench@example.com', password: 'bench-password-1' };
const client = { clientId: 'bench', clientSecret: 'bench-secret', redirectUri: 'https://client.example/callback' };

export const bench: Bench = {
  name: 'identity',
  run: (context) =>
    onStage(context, async (stage) => {
      const start = async (main: URL, env: Record<string, string>): Promise<FlowTarget> => {
        const { url } = await stage.start(main, (own) => ({ ...env, OAUTH_ISSUER: own }));
        return { base: url, ...client, ...account };
      };
      const peerSettings = {
        EMAIL: account.email,
        PASSWORD: account.password,
        CLIENT_ID: client.clientId,
        CLIENT_SECRET: client.clientSecret,
        REDIRECT_URI: client.redirectUri,
      };
      prepare(stage.databaseUrl);
      const idle = await idleMemoryRow('', await stage.start(serviceMain, (url) => ({ OAUTH_ISSUER: url })), 190);
      const ours = await start(serviceMain, {});
      // JWT access tokens as ours, and the opaque ones that the peer's own endpoints accept.
      const jwtPeer = await start(peerMain, peerSettings);
      const opaquePeer = await start(peerMain, { ...peerSettings, FORMAT: 'opaque' });
      await stage.sql.query('create database alone');
      const database = new URL(stage.databaseUrl);
      database.pathname = '/alone';
      prepare(database.href);
      // Without background work.
      const quiet = { CLEANUP_INTERVAL_SECONDS: '86400', SIGNING_KEY_POLL_SECONDS: '86400' };
      const alone = await start(serviceMain, { ...quiet, DATABASE_URL: database.href });
      return [
        idle,
        ...(await lookups(stage, ours, jwtPeer, opaquePeer)),
        ...(await flows(stage, ours, jwtPeer)),
        await roundTrips(stage, alone),
        await latencyUnderLogins(stage, ours),
      ];
    }),
};

/** The account and the client that the flows use, by the operator commands. */
function prepare(databaseUrl: string): void {
  const env = { ENVIRONMENT: 'dev', LOG_LEVEL: 'warn', DATABASE_URL: databaseUrl };
  const operate = (...words: string[]) =>
    execFileSync(process.execPath, [serviceMain.pathname, ...words], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  operate('user', 'create', '--email', account.email, '--password', account.password);
  const { clientId, clientSecret, redirectUri } = client;
  operate('client', 'create', '--id', clientId, '--secret', clientSecret, '--redirect-uri', redirectUri);
}

/** The rates of ours and of the peer in turn, after one round to warm up both. */
async function beside(
  metric: string,
  least: number | undefined,
  ours: () => Promise<number>,
  peer: () => Promise<number>,
): Promise<BenchRow> {
  await inRounds(1, ours, peer);
  return besideRow(metric, '1/s', await inRounds(5, ours, peer), least);
}

async function lookups(
  { scale, log }: Stage,
  ours: FlowTarget,
  jwtPeer: FlowTarget,
  opaquePeer: FlowTarget,
): Promise<BenchRow[]> {
  log('userinfo, introspection, JWKS');
  const requests = Math.round(1_500 * scale);
  const rate = async ({ base }: FlowTarget, path: string, bearer?: string, form?: string) => {
    const { statuses, requestsPerSecond } = await load({
      base,
      path,
      method: form === undefined ? 'GET' : 'POST',
      headers: {
        ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
        ...(form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: () => form ?? '',
      connections: 32,
      requests,
    });
    if (statuses[200] !== requests) throw new Error(`${base}${path} answered ${JSON.stringify(statuses)}`);
    return requestsPerSecond;
  };
  const mine = (await new Browser(ours).codeFlow(offline)).access_token;
  const theirs = (await new Browser(opaquePeer).codeFlow(offline)).access_token;
  const { token: direct } = (await postJson(`${ours.base}/auth/login`, account)) as { token: string };
  const introspect = (target: FlowTarget, token: string) =>
    rate(
      target,
      '/oauth/token/introspection',
      undefined,
      new URLSearchParams({ token, client_id: client.clientId, client_secret: client.clientSecret }).toString(),
    );
  const theirMe = () => rate(opaquePeer, '/oauth/me', theirs);
  return [
    await beside('GET /oauth/me, 32 connections', 0.7, () => rate(ours, '/oauth/me', mine), theirMe),
    await beside(
      'POST /oauth/token/introspection, 32 connections',
      0.7,
      () => introspect(ours, mine),
      () => introspect(opaquePeer, theirs),
    ),
    await beside(
      'GET /oauth/jwks, 32 connections',
      undefined,
      () => rate(ours, '/oauth/jwks'),
      () => rate(jwtPeer, '/oauth/jwks'),
    ),
    await beside("GET /auth/me, beside the peer's /oauth/me", undefined, () => rate(ours, '/auth/me', direct), theirMe),
  ];
}

async function flows({ scale, log }: Stage, ours: FlowTarget, jwtPeer: FlowTarget): Promise<BenchRow[]> {
  log('code flow and refresh');
  const whole = (target: FlowTarget) => rateOf(Math.round(24 * scale), 8, () => new Browser(target).codeFlow(offline));
  /** Eight states prepared by `first`, each taken and given back changed by `next`. */
  const chained = async <T>(times: number, first: () => Promise<T>, next: (state: T) => Promise<T>) => {
    const states = await Promise.all(Array.from({ length: 8 }, first));
    return rateOf(Math.round(times * scale), 8, async () => {
      states.push(await next(states.pop()!));
    });
  };
  const signedInAgain = async (browser: Browser) => {
    await browser.codeFlow('openid email');
    return browser;
  };
  const signedIn = (target: FlowTarget) => chained(80, () => signedInAgain(new Browser(target)), signedInAgain);
  const refreshes = (target: FlowTarget) =>
    chained(
      120,
      () => new Browser(target).codeFlow(offline),
      ({ refresh_token: token = '' }) => exchange(target, { grant_type: 'refresh_token', refresh_token: token }),
    );
  const of = (metric: string, least: number | undefined, rate: (target: FlowTarget) => Promise<number>) =>
    beside(
      `${metric}, 8 at a time`,
      least,
      () => rate(ours),
      () => rate(jwtPeer),
    );
  return [
    await of('Code flow with login and consent', 0.5, whole),
    await of('Code flow of someone signed in', 0.5, signedIn),
    await of('Refresh', undefined, refreshes),
  ];
}

/**
 * Every statement is a transaction here, so the database's count of them is the number of round trips. Counted on a
 * database that nothing else uses and without autovacuum, whose transactions would be counted too.
 */
async function roundTrips({ sql }: Stage, target: FlowTarget): Promise<BenchRow> {
  const count = async (): Promise<number> => {
    // Sessions report their statistics when they have been idle for a second.
    await delay(2_000);
    const { rows } = await sql.query<{ sum: string }>(
      `select xact_commit as sum from pg_stat_database where datname = 'alone'`,
    );
    return Number(rows[0]?.sum);
  };
  const flowCount = 60;
  await sql.query('alter system set autovacuum = off');
  await sql.query('select pg_reload_conf()');
  await new Browser(target).codeFlow(offline);
  const before = await count();
  for (let flow = 0; flow < flowCount; flow += 1) await new Browser(target).codeFlow(offline);
  const ours = ((await count()) - before) / flowCount;
  await sql.query('alter system reset autovacuum');
  await sql.query('select pg_reload_conf()');
  const metric = 'Round trips to the database of a code flow with login and consent';
  return { metric, unit: 'statements', ours, limit: '<= 20', pass: ours <= 20 };
}

/** argon2id runs off the event loop: userinfo stays quick while logins keep a core busy. */
async function latencyUnderLogins({ scale, log }: Stage, { base, ...target }: FlowTarget): Promise<BenchRow> {
  log('userinfo while logins saturate a core');
  const { access_token } = await new Browser({ base, ...target }).codeFlow(offline);
  const headers = { authorization: `Bearer ${access_token}` };
  const requests = Math.round(900 * scale);
  const paced = { connections: 16, requests, ratePerSecond: 100 };
  const p99Ms = async () =>
    (await load({ base, path: '/oauth/me', method: 'GET', headers, body: () => '', ...paced })).p99Ms;
  const body = () => JSON.stringify(account);
  const p99MsUnderLogins = async () => {
    let isBusy = true;
    const logins = Array.from({ length: 4 }, async () => {
      while (isBusy) {
        const { statuses } = await load({ base, path: '/auth/login', headers: {}, body, connections: 1, requests: 10 });
        if (statuses[200] !== 10) throw new Error(`logins answered ${JSON.stringify(statuses)}`);
      }
    });
    const ms = await p99Ms();
    isBusy = false;
    await Promise.all(logins);
    return ms;
  };
  await p99Ms();
  // Busy beside idle.
  const pairs = await inRounds(3, p99MsUnderLogins, p99Ms);
  const ratio = median(pairs.map(({ ours, peer }) => ours / peer));
  const metric = 'p99 of GET /oauth/me at 100/s while logins saturate a core, beside idle';
  return { ...besideRow(metric, 'ms', pairs), limit: 'ratio < 3', pass: ratio < 3 };
}
