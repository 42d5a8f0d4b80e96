// Two replicas of identity and two of graphql-gateway, as processes on one database. The clocks of one are 2 s ahead of
// those of the other, and run over midnight UTC in the middle of the requests. Each gateway asks the identity whose
// clock differs from its own.
import { createHash, randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { compileCacheSetting, SignInPages } from '@tradewind/testkit';
import { Balancer } from '../../chaos/platform/balancer.js';
import { Replica } from '../../chaos/platform/replica.js';
import { createUsers } from '../../src/create-users.js';
import { call, until } from '../../src/http.js';
import { type PlatformProcess, rootDir } from '../../src/platform-process.js';
import type { ServiceName } from '../../src/service-names.js';

const apartMs = 2_000;
const dayMs = 86_400_000;
const startTimeoutMs = 90_000;
const [dataCallsPerDay, requestsPerMinute] = [6, 30];
/** Above the ports of the platform, in a gap between platforms (`freePortBase`). */
const portOffset = 440;

const account = { email: 'clock@example.com', password: `password-${randomBytes(8).toString('hex')}` };
const oauthClient = { client_id: 'demo-client', client_secret: 'demo-secret' };
const redirectUri = 'http://localhost:4999/callback';

/** Slow: the clock of this replica is 2 s behind that of the fast one. */
type Pace = 'slow' | 'fast';
const paces: readonly Pace[] = ['slow', 'fast'];
const other = { slow: 'fast', fast: 'slow' } as const;

type Tokens = Record<'access_token' | 'refresh_token' | 'id_token', string>;

export function describeClocks(platform: () => PlatformProcess): void {
  describe('replicas whose clocks are 2 s apart', () => {
    const deaths: string[] = [];
    let identity: Record<Pace, Replica>;
    let gateway: Record<Pace, Replica>;
    const all = () => [...Object.values(identity), ...Object.values(gateway)];
    const url = ({ port }: Replica) => `http://127.0.0.1:${port}`;
    const issuerPort = () => platform().portBase + portOffset;
    const issuer = () => `http://localhost:${issuerPort()}`;

    function replica(service: ServiceName, pace: Pace, place: number, own: Record<string, string>): Replica {
      const { dataDir, portBase } = platform();
      const [name, port] = [`${service}-${pace}`, portBase + portOffset + place];
      const settings = parseEnv(readFileSync(join(dataDir, 'settings', `${service}.env`), 'utf8'));
      const steppedClock = join(rootDir, 'e2e/chaos/platform/stepped-clock.ts');
      const endWithParent = join(rootDir, 'tools/local-stack/dist/end-with-parent.js');
      return new Replica(
        {
          ...{ service, name, port },
          words: ['--import', endWithParent, '--import', steppedClock, join(rootDir, 'apps', service, 'dist/main.js')],
          // Every value of the file is a text.
          env: {
            ...(settings as Record<string, string>),
            ...compileCacheSetting(),
            ...{ PATH: process.env['PATH'] ?? '', NODE_ENV: 'production', HOST: '127.0.0.1', LOG_LEVEL: 'info' },
            ...{ PORT: String(port), METRICS_PORT: String(port + 1000), OAUTH_ISSUER: issuer(), ...own },
          },
          logFile: join(dataDir, 'logs', `${name}.log`),
        },
        (how) => deaths.push(how),
      );
    }

    beforeAll(async () => {
      const { dataDir } = platform();
      mkdirSync(join(dataDir, 'logs'), { recursive: true });
      identity = { slow: replica('identity', 'slow', 1, {}), fast: replica('identity', 'fast', 2, {}) };
      const gatewayOf = (pace: Pace, place: number) =>
        replica('graphql-gateway', pace, place, {
          IDENTITY_URL: url(identity[other[pace]]),
          DATA_CALLS_PER_DAY: String(dataCallsPerDay),
          REQUESTS_PER_MINUTE: String(requestsPerMinute),
        });
      gateway = { slow: gatewayOf('slow', 3), fast: gatewayOf('fast', 4) };
      for (const one of all()) one.start();
      const created = createUsers(platform(), [account]);
      for (const one of all()) await untilReady(one);
      await created;
    }, startTimeoutMs + 10_000);

    afterAll(async () => {
      const stops = await Promise.all(all().map((one) => one.stop()));
      expect([deaths, stops]).toEqual([[], [true, true, true, true]]);
    }, 60_000);

    const untilReady = (one: Replica) =>
      until(`${one.name} to be ready`, startTimeoutMs, async () => {
        const answer = await call('GET', `${url(one)}/ready`).catch(() => undefined);
        return answer?.status === 200 ? true : undefined;
      });

    /** Sets the slow clocks to this long before midnight. */
    function setClocks(beforeMidnightMs: number): void {
      const now = Date.now();
      const offsetMs = (Math.floor(now / dayMs) + 1) * dayMs - beforeMidnightMs - now;
      for (const { slow, fast } of [identity, gateway]) {
        slow.setClock(offsetMs);
        fast.setClock(offsetMs + apartMs);
      }
    }

    /** The pages at the address of the issuer, behind which these replicas answer in turn. */
    async function signIn(replicas: readonly Replica[]): Promise<{ code: string; verifier: string }> {
      const balancer = await Balancer.listen(issuerPort(), replicas);
      try {
        await until('the balancer', startTimeoutMs, async () => balancer.areAllReady || undefined);
        const verifier = randomBytes(32).toString('base64url');
        const authorization = new URL(`${issuer()}/oauth/auth`);
        authorization.search = new URLSearchParams({
          ...{ response_type: 'code', client_id: oauthClient.client_id, redirect_uri: redirectUri },
          ...{ scope: 'openid offline_access', state: randomBytes(8).toString('hex') },
          code_challenge: createHash('sha256').update(verifier).digest('base64url'),
          code_challenge_method: 'S256',
        }).toString();
        const callback = await new SignInPages(account).follow(authorization);
        return { code: callback.searchParams.get('code') ?? callback.search, verifier };
      } finally {
        await balancer.close();
      }
    }

    async function form<T>(at: Replica, path: string, fields: Record<string, string>): Promise<[number, T]> {
      const body = new URLSearchParams({ ...oauthClient, ...fields });
      const answer = await fetch(url(at) + path, { method: 'POST', body });
      return [answer.status, (await answer.json()) as T];
    }

    it.each([
      ['slow', ['slow'], 'fast'],
      ['fast', ['fast'], 'slow'],
      ['one and the other in turn', ['slow', 'fast'], 'slow'],
    ] as const)('codes and tokens of the %s are accepted by the other', async (_name, makers, reader) => {
      setClocks(apartMs);
      const { code, verifier } = await signIn(makers.map((pace) => identity[pace]));
      const [redeemedStatus, redeemed] = await form<Tokens>(identity[reader], '/oauth/token', {
        ...{ grant_type: 'authorization_code', code, redirect_uri: redirectUri, code_verifier: verifier },
      });
      expect(redeemedStatus).toBe(200);
      // The clock of the process was moved, and not the one of this test.
      const [, claims = ''] = redeemed.id_token.split('.');
      const { iat } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { iat: number };
      const midnight = (Math.floor(Date.now() / dayMs) + 1) * dayMs;
      expect(Math.abs(iat * 1000 - midnight)).toBeLessThan(30_000);

      // Each refresh is on the other replica than the one before.
      let tokens = redeemed;
      for (const pace of [other[reader], reader, other[reader]]) {
        const [status, refreshed] = await form<Tokens>(identity[pace], '/oauth/token', {
          ...{ grant_type: 'refresh_token', refresh_token: tokens.refresh_token },
        });
        expect([pace, status]).toEqual([pace, 200]);
        tokens = refreshed;
        for (const asked of paces) {
          const info = await call('GET', `${url(identity[asked])}/oauth/me`, { bearer: tokens.access_token });
          const [, introspected] = await form(identity[asked], '/oauth/token/introspection', {
            token: tokens.access_token,
          });
          expect([pace, asked, info.status, introspected]).toEqual([
            ...[pace, asked, 200],
            expect.objectContaining({ active: true }),
          ]);
        }
      }
      // A token that was used stays refused, whichever clock looks at it.
      const [replayed] = await form(identity[other[reader]], '/oauth/token', {
        ...{ grant_type: 'refresh_token', refresh_token: redeemed.refresh_token },
      });
      expect(replayed).toBe(400);
    });

    const graphql = (pace: Pace, path: string, bearer: string, query: string, input?: object) =>
      call<{ data: Record<string, string & { token: string }> }>('POST', `${url(gateway[pace])}${path}`, {
        ...(bearer === '' ? {} : { bearer }),
        body: { query, ...(input === undefined ? {} : { variables: { input } }) },
      });

    it('JWTs and keys are accepted by both, and each day and minute has its calls, counted once', async () => {
      const twoSecondsMs = 2_000;
      setClocks(twoSecondsMs + apartMs);
      const keys: string[] = [];
      for (const pace of paces) {
        const login = 'mutation ($input: AuthenticateUserInput!) { authenticateUser(input: $input) { token } }';
        const { body } = await graphql(pace, '/auth/graphql', '', login, account);
        const create = 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) }';
        const jwt = body.data['authenticateUser']?.token ?? '';
        for (const asked of paces) {
          const made = await graphql(asked, '/auth/graphql', jwt, create, { name: 'clock', expiresInDays: 1 });
          expect([pace, asked, made.status]).toEqual([pace, asked, 200]);
          keys.push(made.body.data['createApiKey'] ?? '');
        }
      }

      const calls: { pace: Pace; status: number; day: 'old' | 'new' }[] = [];
      const requests: number[] = [];
      let turn = 0;
      const isRefused = (pace: Pace) =>
        calls.some((one) => one.pace === pace && one.status === 429 && one.day === 'new');
      setClocks(twoSecondsMs + apartMs);
      await until('both replicas to use up the new day, and the minute', 60_000, async () => {
        for (let round = 0; round < keys.length; round += 1) {
          turn += 1;
          const key = keys[turn % keys.length]!;
          for (const pace of paces) {
            const data = await graphql(pace, '/graphql', key, '{ companiesConnection { edges { cursor } } }');
            const resetSeconds = Number(data.headers.get('x-ratelimit-reset'));
            calls.push({ pace, status: data.status, day: resetSeconds > 43_200 ? 'new' : 'old' });
            requests.push((await graphql(pace, '/graphql', key, '{ __typename }')).status);
          }
        }
        // On a slow machine the new day may be used up before the minute is.
        return (isRefused('slow') && isRefused('fast') && requests.length > requestsPerMinute) || undefined;
      });

      const served = (day: string) => calls.filter((one) => one.status === 200 && one.day === day).length;
      expect([served('old'), served('new')]).toEqual([dataCallsPerDay, dataCallsPerDay]);
      expect(new Set(calls.map(({ status }) => status))).toEqual(new Set([200, 429]));
      // For a while one replica was in the new day and the other in the old one.
      const firstNew = calls.findIndex(({ day }) => day === 'new');
      expect(calls[firstNew]?.pace).toBe('fast');
      expect(calls.slice(firstNew)).toContainEqual({ pace: 'slow', status: 429, day: 'old' });
      // Those that made the keys count, too; midnight begins no new minute.
      expect(requests.filter((status) => status === 200)).toHaveLength(requestsPerMinute - keys.length);
      expect(new Set(requests.slice(requestsPerMinute))).toEqual(new Set([429]));
    });
  });
}
