// The targets of the identity service: userinfo, introspection, refresh and the code flow beside bare oidc-provider with
// its in-memory adapter, round trips to the database, the event loop while passwords are checked, idle memory.
// The service runs as it is deployed, on a PostgreSQL with fsync on.
import { execFileSync } from 'node:child_process';
import { Agent } from 'node:http';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { freePort, startEmbeddedPostgres } from '@tradewind/testkit';
import pg from 'pg';
import type { Bench, BenchContext, BenchRow } from './bench.types.js';
import { BenchProcess } from './bench-process.js';
import { load } from './http-load.js';
import { Browser, exchange, rateOf, type FlowTarget, type Tokens } from './identity-flow.js';
import { median } from './median.js';

const serviceMain = new URL('../../../apps/identity/dist/main.js', import.meta.url);
const peerMain = new URL('./identity-peer.js', import.meta.url);
const rounds = 5;
const offline = 'openid profile email offline_access';
const account = { email: 'bench@example.com', password: 'bench-password-1' };
const client = { clientId: 'bench', clientSecret: 'bench-secret', redirectUri: 'https://client.example/callback' };

interface Stage extends BenchContext {
  sql: pg.Pool;
  /** A service of its own on a database of its own, with no background work. */
  startAlone: (database: string) => Promise<FlowTarget>;
  service: BenchProcess;
  ours: FlowTarget;
  /** The peer with JWT access tokens, and with the opaque ones that its own endpoints accept. */
  jwtPeer: FlowTarget;
  opaquePeer: FlowTarget;
}

export const bench: Bench = {
  name: 'identity',
  async run(context) {
    const folder = mkdtempSync(join(tmpdir(), 'tradewind-bench-'));
    chmodSync(folder, 0o755);
    const postgres = await startEmbeddedPostgres({ dataDir: join(folder, 'data'), port: await freePort() });
    const sql = new pg.Pool({ connectionString: postgres.url, max: 2 });
    // The server ends last; what is idle then is told so.
    sql.on('error', () => undefined);
    const agent = new Agent({ keepAlive: true });
    const started: BenchProcess[] = [];
    const start = async (main: URL, env: Record<string, string>) => {
      const port = String(await freePort());
      const one = await BenchProcess.start(main, { ...env, PORT: port, OAUTH_ISSUER: `http://127.0.0.1:${port}` });
      started.push(one);
      return one;
    };
    const settings = { ENVIRONMENT: 'dev', LOG_LEVEL: 'warn', METRICS_PORT: '0', DATABASE_URL: postgres.url };
    const target = ({ url }: BenchProcess): FlowTarget => ({ base: url, agent, ...client, ...account });
    const peerSettings = {
      EMAIL: account.email,
      PASSWORD: account.password,
      CLIENT_ID: client.clientId,
      CLIENT_SECRET: client.clientSecret,
      REDIRECT_URI: client.redirectUri,
    };
    try {
      prepare(settings);
      const service = await start(serviceMain, settings);
      await delay(5_000);
      const residentMiB = service.residentMiB();
      const [jwtPeer, opaquePeer] = [
        target(await start(peerMain, peerSettings)),
        target(await start(peerMain, { ...peerSettings, FORMAT: 'opaque' })),
      ];
      const startAlone = async (database: string) => {
        await sql.query(`create database ${database}`);
        const url = new URL(postgres.url);
        url.pathname = `/${database}`;
        const alone = { ...settings, DATABASE_URL: url.href };
        prepare(alone);
        return target(
          await start(serviceMain, { ...alone, CLEANUP_INTERVAL_SECONDS: '86400', SIGNING_KEY_POLL_SECONDS: '86400' }),
        );
      };
      const stage: Stage = { ...context, sql, service, ours: target(service), startAlone, jwtPeer, opaquePeer };
      return [
        {
          metric: 'Idle memory, 5 s after the start',
          unit: 'MiB',
          ours: residentMiB,
          limit: '< 190',
          pass: residentMiB < 190,
        },
        ...(await lookups(stage)),
        ...(await flows(stage)),
        await roundTrips(stage),
        await latencyUnderLogins(stage),
      ];
    } finally {
      await Promise.all(started.map((one) => one.stop()));
      agent.destroy();
      await sql.end();
      await postgres.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  },
};

/** The account and the client that the flows use. */
function prepare(env: Record<string, string>): void {
  operate(env, 'user', 'create', '--email', account.email, '--password', account.password);
  const { clientId, clientSecret, redirectUri } = client;
  operate(env, 'client', 'create', '--id', clientId, '--secret', clientSecret, '--redirect-uri', redirectUri);
}

function operate(env: Record<string, string>, ...argv: string[]): void {
  execFileSync(process.execPath, [serviceMain.pathname, ...argv], { env, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Ours and the peer in turn, after one round to warm up both; medians, and the median of the ratios. */
async function beside(
  metric: string,
  target: number | undefined,
  ours: () => Promise<number>,
  peer: () => Promise<number>,
): Promise<BenchRow> {
  await ours();
  await peer();
  const pairs: { ours: number; peer: number }[] = [];
  for (let round = 0; round < rounds; round += 1) pairs.push({ ours: await ours(), peer: await peer() });
  const ratio = median(pairs.map((pair) => pair.ours / pair.peer));
  return {
    metric,
    unit: '1/s',
    ours: median(pairs.map((pair) => pair.ours)),
    peer: median(pairs.map((pair) => pair.peer)),
    ratio,
    limit: target === undefined ? 'for the record' : `>= ${target}`,
    pass: target === undefined || ratio >= target,
  };
}

async function lookups(stage: Stage): Promise<BenchRow[]> {
  const { scale, ours, jwtPeer, opaquePeer } = stage;
  stage.log('userinfo, introspection, JWKS');
  const requests = Math.round(1_500 * scale);
  const tokensOf = async (target: FlowTarget): Promise<Tokens> => new Browser(target).codeFlow(offline);
  const [mine, theirs] = [await tokensOf(ours), await tokensOf(opaquePeer)];
  const rate = async (base: string, path: string, more: { authorization?: string; form?: string }) => {
    const { statuses, requestsPerSecond } = await load({
      base,
      path,
      method: more.form === undefined ? 'GET' : 'POST',
      headers: {
        ...(more.authorization ? { authorization: more.authorization } : {}),
        ...(more.form === undefined ? {} : { 'content-type': 'application/x-www-form-urlencoded' }),
      },
      body: () => more.form ?? '',
      connections: 32,
      requests,
    });
    if (statuses[200] !== requests) throw new Error(`${base}${path} answered ${JSON.stringify(statuses)}`);
    return requestsPerSecond;
  };
  const me = (target: FlowTarget, { access_token }: Tokens) =>
    rate(target.base, '/oauth/me', { authorization: `Bearer ${access_token}` });
  const introspect = (target: FlowTarget, { access_token }: Tokens) =>
    rate(target.base, '/oauth/token/introspection', {
      form: new URLSearchParams({
        token: access_token,
        client_id: client.clientId,
        client_secret: client.clientSecret,
      }).toString(),
    });
  const direct = (await (
    await fetch(`${ours.base}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(account),
    })
  ).json()) as { token: string };
  return [
    await beside(
      'GET /oauth/me, 32 connections',
      0.7,
      () => me(ours, mine),
      () => me(opaquePeer, theirs),
    ),
    await beside(
      'POST /oauth/token/introspection, 32 connections',
      0.7,
      () => introspect(ours, mine),
      () => introspect(opaquePeer, theirs),
    ),
    await beside(
      'GET /oauth/jwks, 32 connections',
      undefined,
      () => rate(ours.base, '/oauth/jwks', {}),
      () => rate(jwtPeer.base, '/oauth/jwks', {}),
    ),
    await beside(
      "GET /auth/me, beside the peer's /oauth/me",
      undefined,
      () => rate(ours.base, '/auth/me', { authorization: `Bearer ${direct.token}` }),
      () => me(opaquePeer, theirs),
    ),
  ];
}

async function flows(stage: Stage): Promise<BenchRow[]> {
  const { scale, ours, jwtPeer } = stage;
  stage.log('code flow and refresh');
  const whole = (target: FlowTarget) => rateOf(Math.round(24 * scale), 8, () => new Browser(target).codeFlow(offline));
  const signedIn = async (target: FlowTarget) => {
    const browsers = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const browser = new Browser(target);
        await browser.codeFlow('openid email');
        return browser;
      }),
    );
    return rateOf(Math.round(80 * scale), 8, async () => {
      const browser = browsers.pop() as Browser;
      await browser.codeFlow('openid email');
      browsers.push(browser);
    });
  };
  const refreshes = async (target: FlowTarget) => {
    const chains = await Promise.all(Array.from({ length: 8 }, () => new Browser(target).codeFlow(offline)));
    return rateOf(Math.round(120 * scale), 8, async () => {
      const { refresh_token } = chains.pop() as Tokens;
      chains.push(await exchange(target, { grant_type: 'refresh_token', refresh_token: refresh_token ?? '' }));
    });
  };
  return [
    await beside(
      'Code flow with login and consent, 8 at a time',
      0.5,
      () => whole(ours),
      () => whole(jwtPeer),
    ),
    await beside(
      'Code flow of someone signed in, 8 at a time',
      0.5,
      () => signedIn(ours),
      () => signedIn(jwtPeer),
    ),
    await beside(
      'Refresh, 8 at a time',
      undefined,
      () => refreshes(ours),
      () => refreshes(jwtPeer),
    ),
  ];
}

/**
 * Every statement is a transaction of its own here, so the database's count of them is the number of round trips. Counted
 * on a database that nothing else uses and without autovacuum: what happens by itself in the meantime is not the flow's.
 */
async function roundTrips({ sql, startAlone }: Stage): Promise<BenchRow> {
  const database = 'round_trips';
  const target = await startAlone(database);
  const count = async (): Promise<number> => {
    // Sessions report their statistics when they have been idle for a second.
    await delay(2_000);
    const { rows } = await sql.query<{ sum: string }>(
      'select xact_commit as sum from pg_stat_database where datname = $1',
      [database],
    );
    return Number(rows[0]?.sum);
  };
  const flowCount = 60;
  await sql.query('alter system set autovacuum = off');
  await sql.query('select pg_reload_conf()');
  await new Browser(target).codeFlow(offline);
  const before = await count();
  for (let flow = 0; flow < flowCount; flow += 1) await new Browser(target).codeFlow(offline);
  const perFlow = ((await count()) - before) / flowCount;
  await sql.query('alter system reset autovacuum');
  await sql.query('select pg_reload_conf()');
  return {
    metric: 'Round trips to the database of a code flow with login and consent',
    unit: 'statements',
    ours: perFlow,
    limit: '<= 20',
    pass: perFlow <= 20,
  };
}

/** argon2id runs off the event loop: userinfo stays quick while logins keep a core busy. */
async function latencyUnderLogins(stage: Stage): Promise<BenchRow> {
  const { scale, ours } = stage;
  stage.log('userinfo while logins saturate a core');
  const { access_token } = await new Browser(ours).codeFlow(offline);
  const me = () =>
    load({
      base: ours.base,
      path: '/oauth/me',
      method: 'GET',
      headers: { authorization: `Bearer ${access_token}` },
      body: () => '',
      connections: 16,
      requests: Math.round(900 * scale),
      ratePerSecond: 100,
    });
  await me();
  const ratios: number[] = [];
  const idles: number[] = [];
  const loaded: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const idle = await me();
    let isBusy = true;
    const logins = Promise.all(
      Array.from({ length: 4 }, async () => {
        while (isBusy) {
          const { statuses } = await load({
            base: ours.base,
            path: '/auth/login',
            headers: {},
            body: () => JSON.stringify(account),
            connections: 1,
            requests: 10,
          });
          if (statuses[200] !== 10) throw new Error(`logins answered ${JSON.stringify(statuses)}`);
        }
      }),
    );
    const busy = await me();
    isBusy = false;
    await logins;
    idles.push(idle.p99Ms);
    loaded.push(busy.p99Ms);
    ratios.push(busy.p99Ms / idle.p99Ms);
  }
  const ratio = median(ratios);
  return {
    metric: 'p99 of GET /oauth/me at 100/s while logins saturate a core, beside idle',
    unit: 'ms',
    ours: median(loaded),
    peer: median(idles),
    ratio,
    limit: '< 3 times',
    pass: ratio < 3,
  };
}
