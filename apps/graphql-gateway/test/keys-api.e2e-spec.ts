/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-argument, @typescript-eslint/no-unsafe-call --
   answers are JSON of any shape, and the assertions judge them */
// Keys and usage over REST, as users and administrators have them.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { serviceTokenEntry } from '@tradewind/service-kit';
import { AuditLogService } from '../src/api-keys/audit-log.service.js';
import { LastUses } from '../src/api-keys/last-uses.service.js';
import { answerOf, startGateway, type Answer, type TestGateway } from './support/gateway.js';
import type { TestUser } from './support/identity-server.js';

const oneCall = '{ companiesConnection { edges { cursor } } }';

describe('keys and usage over REST', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway(
      {
        KEY_CACHE_MS: '0',
        DATA_CALLS_PER_DAY: '3',
        SERVICE_TOKENS: serviceTokenEntry('token-of-the-console', { name: 'console', services: ['graphql-gateway'] }),
      },
      2,
    );
  });
  afterAll(() => gateway.close());

  const call = async (
    token: string,
    path: string,
    { body, replica = 0, headers = {} }: { body?: unknown; replica?: number; headers?: Record<string, string> } = {},
  ): Promise<Answer> =>
    answerOf(
      await fetch(`${gateway.replicas[replica]!.url}${path}`, {
        method: body === undefined ? 'GET' : 'POST',
        headers: {
          authorization: `Bearer ${token}`,
          ...(body === undefined || body === null ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        body: body === undefined || body === null ? null : typeof body === 'string' ? body : JSON.stringify(body),
      }),
    );
  const signIn = (claims: Record<string, unknown> = {}) => {
    const user = gateway.identity.addUser();
    return { user, token: gateway.identity.dataToken(user, claims) };
  };
  const admin = () => signIn({ userRole: 'ADMIN' }).token;
  const make = async (token: string, name = 'k') =>
    (await call(token, '/keys', { body: { name } })).body as { id: string; key: string };
  const statusOf = async (key: string) => (await gateway.data(key, '{ __typename }')).status;
  const flush = () => Promise.all(gateway.replicas.map(({ app }) => app.get(AuditLogService).flush()));

  it('a user makes a key, uses it, sees its last use, rotates it and revokes it, and each change says who made it', async () => {
    const { user, token } = signIn({ user_company_id: 'acme' });
    const made = await call(token, '/keys', { body: { name: ' nightly ', expires_in_days: 30 } });
    expect([made.status, made.headers.get('cache-control'), made.body]).toEqual([
      200,
      'no-store',
      {
        key: expect.stringMatching(/^svc_[0-9A-Za-z]{49}$/),
        id: expect.any(String),
        name: 'nightly',
        begins: made.body.key.slice(0, 8),
        state: 'active',
        created_at: expect.any(String),
        expires_at: new Date(Date.parse(made.body.created_at) + 30 * 86_400_000).toISOString(),
        revoked_at: null,
        last_used_at: null,
      },
    ]);
    const { key, id, ...shown } = made.body;
    expect(await statusOf(key)).toBe(200);
    await gateway.replicas[0]!.app.get(LastUses).flush();
    const listed = await call(token, '/keys');
    expect(listed.body).toEqual({ keys: [{ ...shown, id, last_used_at: expect.any(String) }], next_cursor: null });

    const rotated = await call(token, `/keys/${id}/rotate`, { body: null });
    expect(rotated.body).toMatchObject({ name: 'nightly', state: 'active' });
    expect(Date.parse(rotated.body.expires_at) - Date.parse(rotated.body.created_at)).toBe(30 * 86_400_000);
    expect([await statusOf(key), await statusOf(rotated.body.key)]).toEqual([401, 200]);

    const revoked = await call(token, `/keys/${rotated.body.id}/revoke`, { body: null });
    expect(revoked.body).toMatchObject({ id: rotated.body.id, state: 'revoked' });
    expect((await call(token, `/keys/${rotated.body.id}/revoke`, { body: {} })).body).toEqual(revoked.body);
    expect(await statusOf(rotated.body.key)).toBe(401);

    await flush();
    const events = (await call(admin(), `/admin/keys/${id}/audit`)).body.events as { outcome: string; by: string }[];
    expect(events.map(({ outcome, by }) => [outcome, by])).toEqual([
      ['refused_revoked', null],
      ['revoked', user.id],
      ['used', null],
      ['created', user.id],
    ]);
    expect((await call(admin(), `/admin/keys/${id}`)).body).toMatchObject({
      user_id: user.id,
      user_email: user.email,
      user_company_id: 'acme',
    });
  });

  const requestOf = (idempotencyKey: string, name = 'nightly', replica = 0) => ({
    body: { name, expires_in_days: 30 },
    headers: { 'idempotency-key': idempotencyKey },
    replica,
  });

  // More than a replica has connections: one that waits for the first must need no second connection.
  it('many requests with one Idempotency-Key at once on two replicas make one key, which all of them answer', async () => {
    const { user, token } = signIn();
    const id = crypto.randomUUID();
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => call(token, '/keys', requestOf(n % 3 === 0 ? `"${id}"` : id, 'k', n % 2))),
    );
    expect(answers.map(({ status }) => status)).toEqual(Array(40).fill(200));
    expect(new Set(answers.map(({ body }) => JSON.stringify(body))).size).toBe(1);
    const { key, ...shown } = answers[0]!.body;
    expect((await call(token, '/keys')).body.keys).toEqual([shown]);
    expect(await statusOf(key)).toBe(200);
    const { rows } = await gateway.sql.query(`select 1 from api_key_audit where user_id = $1 and outcome = 'created'`, [
      user.id,
    ]);
    expect(rows).toHaveLength(1);
  });

  it('an Idempotency-Key is of its user, for one content and for ten minutes, and no row has the API key', async () => {
    const { user, token } = signIn();
    const id = crypto.randomUUID();
    const first = await call(token, '/keys', requestOf(id));
    const other = await call(token, '/keys', requestOf(id, 'weekly'));
    expect([other.status, other.body.error]).toEqual([422, 'Unprocessable Entity']);
    expect((await call(signIn().token, '/keys', requestOf(id))).body.key).not.toBe(first.body.key);
    await call(token, `/keys/${first.body.id}/revoke`, { body: {} });
    expect((await call(token, '/keys', requestOf(id))).body).toMatchObject({ key: first.body.key, state: 'revoked' });
    const { rows } = await gateway.sql.query('select * from key_request where user_id = $1', [user.id]);
    expect(rows).toHaveLength(1);
    for (const secret of [first.body.key.slice(8), id]) {
      for (const value of Object.values<unknown>(rows[0])) expect(String(value)).not.toContain(secret);
    }
    await gateway.sql.query('update key_request set ends_at = now() where user_id = $1', [user.id]);
    const later = await call(token, '/keys', requestOf(id));
    expect([later.status, later.body.key === first.body.key]).toEqual([200, false]);
    expect((await call(token, '/keys')).body.keys).toHaveLength(2);
  });

  it('a request that failed keeps nothing, and the same one is then answered', async () => {
    const { token } = signIn();
    const id = crypto.randomUUID();
    gateway.identity.meStatus = 500;
    try {
      expect((await call(token, '/keys', requestOf(id))).status).toBe(502);
    } finally {
      gateway.identity.meStatus = undefined;
    }
    expect((await call(token, '/keys', requestOf(id))).status).toBe(200);
    expect((await call(token, '/keys')).body.keys).toHaveLength(1);
  });

  it.each(['', 'short', 'x'.repeat(201), '"1234567890123456" 1', '1234567890123456, 1234567890123456'])(
    'the Idempotency-Key %j is refused',
    async (idempotencyKey) => {
      const { token } = signIn();
      const { status, body } = await call(token, '/keys', requestOf(idempotencyKey));
      expect([status, body.message]).toEqual([
        400,
        ['Idempotency-Key must have 16 to 200 visible characters, such as a random UUID'],
      ]);
      expect((await call(token, '/keys')).body.keys).toEqual([]);
    },
  );

  it('no list, and nothing but the answer that made it, holds a key', async () => {
    const { token } = signIn();
    const { key, id } = await make(token);
    await statusOf(key);
    await flush();
    for (const path of ['/keys', `/keys/${id}`, '/usage']) {
      expect(JSON.stringify((await call(token, path)).body)).not.toContain(key.slice(8));
    }
    for (const path of ['/admin/keys', `/admin/keys/${id}`, `/admin/keys/${id}/audit`]) {
      expect(JSON.stringify((await call(admin(), path)).body)).not.toContain(key.slice(8));
    }
  });

  it('of many rotations of one key at once on two replicas one makes a key', async () => {
    const { token } = signIn();
    const { id } = await make(token);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, i) => call(token, `/keys/${id}/rotate`, { body: {}, replica: i % 2 })),
    );
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1);
    for (const { status, body } of answers.filter((answer) => answer.status !== 200)) {
      expect([status, body.error]).toEqual([409, 'Conflict']);
    }
    const { keys } = (await call(token, '/keys')).body;
    expect(keys.map(({ state }: { state: string }) => state)).toEqual(['active', 'revoked']);
  });

  it('a rotation that is sent again with its Idempotency-Key, at once or after a lost answer, has the same new key', async () => {
    const { user, token } = signIn();
    const [old, other] = [await make(token), await make(token)];
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const rotate = (id: string, replica = 0, body: unknown = null) =>
      call(token, `/keys/${id}/rotate`, { body, headers, replica });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, n) => rotate(old.id, n % 2)));
    expect(new Set(answers.map(({ status, body }) => JSON.stringify([status, body])))).toEqual(
      new Set([JSON.stringify([200, answers[0]!.body])]),
    );
    const { key, id } = answers[0]!.body;
    expect([await statusOf(old.key), await statusOf(key)]).toEqual([401, 200]);
    for (const again of [await rotate(other.id), await rotate(old.id, 0, { expires_in_days: 7 })])
      expect([again.status, again.body.error]).toEqual([422, 'Unprocessable Entity']);
    // One made with it is another request, too.
    expect((await call(token, '/keys', { body: { name: 'k' }, headers })).status).toBe(422);
    await call(token, `/keys/${id}/revoke`, { body: null });
    expect((await rotate(old.id)).body).toMatchObject({ key, id, state: 'revoked' });
    const { rows } = await gateway.sql.query(
      `select outcome, count(*)::int as times from api_key_audit
       where user_id = $1 and outcome in ('created', 'revoked') group by outcome order by outcome`,
      [user.id],
    );
    expect(rows).toEqual([
      { outcome: 'created', times: 3 },
      { outcome: 'revoked', times: 2 },
    ]);
  });

  it('a rotation that was refused keeps nothing for its Idempotency-Key', async () => {
    const { token } = signIn();
    const [old, other] = [await make(token), await make(token)];
    const headers = { 'idempotency-key': crypto.randomUUID() };
    await call(token, `/keys/${old.id}/revoke`, { body: null });
    const rotate = (id: string) => call(token, `/keys/${id}/rotate`, { body: null, headers });
    expect([(await rotate(old.id)).status, (await rotate(old.id)).status, (await rotate(other.id)).status]).toEqual([
      409, 409, 200,
    ]);
  });

  it('an expired key is not rotated', async () => {
    const { token } = signIn();
    const { id } = await make(token);
    await gateway.sql.query('update api_key set expires_at = now() where id = $1', [id]);
    expect((await call(token, `/keys/${id}/rotate`, { body: {} })).status).toBe(409);
    expect((await call(token, '/keys')).body.keys).toHaveLength(1);
  });

  it('a token that was revoked makes no key, and a user who is disabled meanwhile keeps none', async () => {
    const { user, token } = signIn();
    const { id } = await make(token);
    const revoked = gateway.identity.dataToken(user, { jti: 'revoked' });
    gateway.identity.revokedTokens.add(revoked);
    for (const [path, body] of [
      ['/keys', { name: 'k' }],
      [`/keys/${id}/rotate`, {}],
    ] as const) {
      const { status, body: answer } = await call(revoked, path, { body });
      expect([status, answer.message]).toEqual([401, 'The token is no longer valid']);
    }
    expect((await call(token, `/keys/${id}`)).body.state).toBe('active');
    // Between the second answer of identity and the new key.
    let answers = 0;
    gateway.identity.afterMe = async () => {
      answers += 1;
      if (answers < 2) return;
      gateway.identity.afterMe = undefined;
      gateway.identity.endCredentials(user);
      await untilEnded(user);
    };
    expect((await call(token, `/keys/${id}/rotate`, { body: {} })).status).toBe(409);
    expect((await call(token, '/keys', { body: { name: 'k' } })).status).toBe(401);
    const { rows } = await gateway.sql.query('select from api_key where user_id = $1 and revoked_at is null', [
      user.id,
    ]);
    expect(rows).toHaveLength(0);
  });

  it('an administrator or user who is disabled, and a revoked token, see, revoke and make nothing at once', async () => {
    for (const claims of [{}, { userRole: 'ADMIN' }]) {
      const { user, token } = signIn(claims);
      const { id } = await make(token);
      const revoked = gateway.identity.dataToken(user, { ...claims, jti: 'revoked' });
      gateway.identity.revokedTokens.add(revoked);
      const disabled = signIn(claims);
      gateway.identity.endCredentials(disabled.user);
      for (const [path, body] of [
        ['/usage', undefined],
        ['/keys', undefined],
        ['/keys', { name: 'k' }],
        [`/keys/${id}`, undefined],
        [`/keys/${id}/revoke`, {}],
        ['/admin/keys', undefined],
        [`/admin/keys/${id}`, undefined],
        [`/admin/keys/${id}/audit`, undefined],
        [`/admin/keys/${id}/revoke`, {}],
      ] as const) {
        for (const bad of [revoked, disabled.token]) {
          const { status, body: answer } = await call(bad, path, { body });
          expect([path, status, answer.message]).toEqual([path, 401, 'The token is no longer valid']);
        }
      }
      expect((await call(token, `/keys/${id}`)).body.state).toBe('active');
    }
  });

  async function untilEnded(user: TestUser): Promise<void> {
    const endMs = performance.now() + 20_000;
    for (;;) {
      const { rows } = await gateway.sql.query('select from ended_credentials where user_id = $1', [user.id]);
      if (rows.length > 0) return;
      if (performance.now() > endMs) throw new Error('the end of the credentials has not arrived');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  it('while identity is away no key is made, and keys are listed and revoked by tokens that nobody could check', async () => {
    const unchecked = async () => {
      const text = await (await fetch(gateway.replicas[0]!.metricsUrl)).text();
      return Number(/^tradewind_graphql_gateway_token_unchecked_total (\d+)$/m.exec(text)![1]);
    };
    const { token } = signIn();
    const { id } = await make(token);
    const before = await unchecked();
    gateway.identity.meStatus = 500;
    try {
      expect((await call(token, '/keys', { body: { name: 'k' } })).status).toBe(502);
      expect((await call(token, `/keys/${id}/rotate`, { body: {} })).status).toBe(502);
      expect((await call(token, '/keys')).body.keys).toHaveLength(1);
      expect((await call(token, `/keys/${id}/revoke`, { body: {} })).body.state).toBe('revoked');
      expect(await unchecked()).toBe(before + 4);
    } finally {
      gateway.identity.meStatus = undefined;
    }
  });

  it('the key of another user, an unknown one and an odd id are the same 404, and change nothing', async () => {
    const { token } = signIn();
    const { id } = await make(token);
    const other = signIn().token;
    const odd = ['00000000-0000-4000-8000-000000000000', 'x', '%00', '1', `${id}%20`, `'${id}`, 'x'.repeat(2000)];
    for (const [path, body] of [
      ['', undefined],
      ['/rotate', {}],
      ['/revoke', {}],
    ] as const) {
      for (const one of [id, ...odd]) {
        const { status, body: answer } = await call(other, `/keys/${one}${path}`, { body });
        expect([one, status]).toEqual([one, one.length > 1000 ? expect.any(Number) : 404]);
        expect(status).toBeGreaterThanOrEqual(400);
        expect(status).toBeLessThan(500);
        if (status === 404 && one === id) expect(answer.message).toBe('There is no such key');
      }
    }
    expect((await call(token, `/keys/${id}`)).body.state).toBe('active');
  });

  it.each<[string, unknown]>([
    ['no body', null],
    ['no name', {}],
    ['null as name', { name: null }],
    ['a number as name', { name: 7 }],
    ['a list as name', { name: ['k'] }],
    ['a blank name', { name: '  ' }],
    ['a long name', { name: 'x'.repeat(101) }],
    ['a name of two lines', { name: 'a\nb' }],
    ['half a character', '{"name": "\\ud800"}'],
    ['an unknown field', { name: 'k', user_id: 'x' }],
    ['null days', { name: 'k', expires_in_days: null }],
    ['no day', { name: 'k', expires_in_days: 0 }],
    ['too many days', { name: 'k', expires_in_days: 366 }],
    ['half a day', { name: 'k', expires_in_days: 1.5 }],
    ['days as text', { name: 'k', expires_in_days: '30' }],
    ['text that is not JSON', '{'],
  ])('%s makes no key', async (_name, body) => {
    const { token } = signIn();
    const { status, body: answer } = await call(token, '/keys', { body });
    expect([status, answer.error, answer.statusCode]).toEqual([400, 'Bad Request', 400]);
    expect((await call(token, '/keys')).body.keys).toEqual([]);
  });

  it('lists are paged, newest first, without a gap or a repetition while keys are added', async () => {
    const { user, token } = signIn();
    const ids: string[] = [];
    for (let n = 0; n < 5; n += 1) ids.unshift((await make(token, `k${n}`)).id);
    // Several keys of one millisecond are told apart by their id.
    await gateway.sql.query(`update api_key set created_at = date_trunc('second', now()) where user_id = $1`, [
      user.id,
    ]);
    for (const [asker, path] of [
      [token, '/keys?'],
      [admin(), `/admin/keys?user=${user.id}&`],
      [admin(), `/admin/keys?user=${encodeURIComponent(user.email.toUpperCase())}&`],
    ] as const) {
      const seen: string[] = [];
      let cursor: string | null = null;
      do {
        const { status, body }: Answer = await call(
          asker,
          `${path}limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
        );
        expect(status).toBe(200);
        seen.push(...body.keys.map(({ id }: { id: string }) => id));
        cursor = body.next_cursor;
      } while (cursor !== null);
      expect([...seen].sort()).toEqual([...ids].sort());
      expect(seen).toHaveLength(5);
    }
    const { body } = await call(token, '/keys?limit=1');
    for (const query of [
      'limit=0',
      'limit=201',
      'limit=x',
      'limit=1&limit=2',
      'cursor=x',
      'cursor=',
      `cursor=${'x'.repeat(5000)}`,
      'unknown=1',
    ]) {
      expect([query, (await call(token, `/keys?${query}`)).status]).toEqual([query, 400]);
    }
    // The cursor of one list is none of another.
    expect((await call(signIn().token, `/keys?cursor=${body.next_cursor}`)).status).toBe(400);
    expect((await call(admin(), `/admin/keys?cursor=${body.next_cursor}`)).status).toBe(400);
    for (const query of [`user=${'x'.repeat(255)}`, 'user=a%00', 'key=%0a', 'user=a&user=b']) {
      expect([query, (await call(admin(), `/admin/keys?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('an administrator sees which keys in use expire before a time, a bound one those of its company alone', async () => {
    const { token } = signIn({ user_company_id: 'expiring' });
    const made = async (days: number) =>
      ((await call(token, '/keys', { body: { name: 'k', expires_in_days: days } })).body as { id: string }).id;
    const [later, second, first, revoked, expired] = [
      await made(60),
      await made(13),
      await made(1),
      await made(2),
      await made(3),
    ];
    await call(token, `/keys/${revoked}/revoke`, { body: {} });
    await gateway.sql.query(`update api_key set expires_at = now() - interval '1 second' where id = $1`, [expired]);
    const before = new Date(Date.now() + 14 * 86_400_000).toISOString();
    const list = async (claims: Record<string, unknown>, query: string) =>
      (await call(signIn({ userRole: 'ADMIN', ...claims }).token, `/admin/keys?${query}`)).body as {
        keys: { id: string }[];
        next_cursor: string;
      };
    const ids = ({ keys }: { keys: { id: string }[] }) => keys.map(({ id }) => id);
    expect(ids(await list({ user_company_id: 'expiring' }, `expires_before=${before}`))).toEqual([first, second]);
    expect(ids(await list({ user_company_id: 'another' }, `expires_before=${before}`))).toEqual([]);
    const all = ids(await list({}, `expires_before=${before}&limit=200`));
    expect([first, second, later, revoked, expired].map((id) => all.includes(id))).toEqual([
      ...[true, true, false, false, false],
    ]);
    const page = await list({ user_company_id: 'expiring' }, `expires_before=${before}&limit=1`);
    const next = `expires_before=${before}&cursor=${page.next_cursor}`;
    expect([...ids(page), ...ids(await list({ user_company_id: 'expiring' }, next))]).toEqual([first, second]);
    for (const query of ['expires_before=', 'expires_before=x', 'expires_before=2026-13-01']) {
      expect([query, (await call(admin(), `/admin/keys?${query}`)).status]).toEqual([query, 400]);
    }
  });

  it('an administrator finds a key by its beginning or id, revokes it, and pages through what happened to it', async () => {
    const { user, token } = signIn();
    const { key, id } = await make(token);
    for (let n = 0; n < 3; n += 1) await statusOf(key);
    for (const name of [id, key.slice(0, 8)]) {
      const { body } = await call('token-of-the-console', `/admin/keys?key=${name}&user=${user.id}`);
      expect(body.keys.map((each: { id: string }) => each.id)).toEqual([id]);
    }
    expect((await call('token-of-the-console', `/admin/keys?key=${key}`)).body.keys).toEqual([]);
    expect((await call('token-of-the-console', `/admin/keys/${id}/revoke`, { body: {} })).body.state).toBe('revoked');
    expect(await statusOf(key)).toBe(401);
    await flush();
    const seen: string[] = [];
    let cursor: string | null = null;
    do {
      const { body }: Answer = await call(
        'token-of-the-console',
        `/admin/keys/${id}/audit?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`,
      );
      seen.push(...body.events.map(({ outcome, by }: { outcome: string; by: string }) => `${outcome} ${by}`));
      cursor = body.next_cursor;
    } while (cursor !== null);
    expect(seen).toEqual([
      'refused_revoked null',
      'revoked console',
      'used null',
      'used null',
      'used null',
      `created ${user.id}`,
    ]);
  });

  it('usage says what is left of the day for all keys of the user, when it resets, and how much was refused', async () => {
    const { token } = signIn();
    const [one, other] = [await make(token), await make(token)];
    for (const { key } of [one, one, other, other, one]) await gateway.data(key, oneCall);
    await flush();
    const { status, body, headers } = await call(token, '/usage');
    const tomorrow = new Date(Math.ceil((Date.now() + 1) / 86_400_000) * 86_400_000).toISOString();
    expect([status, body]).toEqual([
      200,
      {
        data_calls: { limit: 3, used: 3, remaining: 0, window_seconds: 86_400, resets_at: tomorrow },
        requests: {
          limit: 100_000,
          used: 3,
          remaining: 99_997,
          window_seconds: 60,
          resets_at: expect.any(String),
        },
        refused_today: 2,
      },
    ]);
    expect(body.requests.remaining).toBe(Number(headers.get('x-ratelimit-remaining')));
    // Of others it says nothing.
    expect((await call(signIn().token, '/usage')).body).toMatchObject({
      data_calls: { used: 0, remaining: 3 },
      refused_today: 0,
    });
  });
});

describe('limits of the REST endpoints', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway({ REQUESTS_PER_MINUTE: '5', REFUSED_KEYS_PER_MINUTE: '3' });
  });
  afterAll(() => gateway.close());
  const ask = (token: string, path: string) =>
    fetch(`${gateway.replicas[0]!.url}${path}`, { headers: { authorization: `Bearer ${token}` } }).then(answerOf);

  it('a request takes a unit of its user, a refused one none, and beyond the limit nothing is done', async () => {
    const user = gateway.identity.addUser();
    const token = gateway.identity.dataToken(user);
    for (let n = 0; n < 10; n += 1) expect((await ask(token, '/keys?limit=0')).status).toBe(400);
    for (let n = 0; n < 5; n += 1) {
      const { status, headers } = await ask(token, '/usage');
      expect([status, headers.get('ratelimit-policy'), headers.get('x-ratelimit-remaining')]).toEqual([
        200,
        '"requests";q=5;w=60',
        String(4 - n),
      ]);
    }
    const { status, headers, body } = await ask(token, '/keys');
    expect([status, body.error]).toEqual([429, 'Too Many Requests']);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
    // Another user is not affected.
    expect((await ask(gateway.identity.dataToken(gateway.identity.addUser()), '/usage')).status).toBe(200);
  });

  it('a role that is not allowed, a body that nobody can read and an unknown key have the limits of the user', async () => {
    const token = gateway.identity.dataToken(gateway.identity.addUser());
    await ask(token, '/usage');
    const unreadable = await fetch(`${gateway.replicas[0]!.url}/keys`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: '{',
    });
    const [forbidden, unknown] = [await ask(token, '/admin/keys'), await ask(token, '/keys/x')];
    expect([forbidden, unknown].map(({ status, headers }) => [status, headers.get('x-ratelimit-remaining')])).toEqual([
      [403, '4'],
      [404, '4'],
    ]);
    // It is read before the caller is known, so these are the limits of the address.
    expect([unreadable.status, unreadable.headers.get('x-ratelimit-remaining')]).toEqual([400, '5']);
  });

  it('tokens that are refused count for their network, and then none is checked', async () => {
    const answers: [number, string | null][] = [];
    for (const path of ['/usage', '/keys?limit=1', '/admin/keys', '/keys/x', '/usage']) {
      const { status, headers } = await ask('not-a-token', path);
      answers.push([status, headers.get('ratelimit-policy')]);
    }
    const [refused, tooMany] = [
      [401, '"requests";q=5;w=60'],
      [429, '"refused_keys";q=3;w=60'],
    ];
    expect(answers).toEqual([refused, refused, refused, tooMany, tooMany]);
  });
});
