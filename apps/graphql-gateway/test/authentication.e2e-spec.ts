/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access, @typescript-eslint/no-unsafe-argument --
   answers are JSON of any shape, and the assertions judge them */
// Logging in, making keys, and the life of a key: expiry, revocation, rotation of signing keys, an outage of identity,
// the audit log.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { byOperator } from '@tradewind/service-kit';
import { AuditLogService } from '../src/api-keys/audit-log.service.js';
import { ApiKeysService } from '../src/api-keys/api-keys.service.js';
import { Clock } from '../src/clock.js';
import { startGateway, type TestGateway } from './support/gateway.js';

const login = 'mutation ($input: AuthenticateUserInput!) { authenticateUser(input: $input) { token } }';
const create = 'mutation make($input: CreateApiKeyInput!) { createApiKey(input: $input) }';
const dayMs = 86_400_000;

describe('authentication', () => {
  let gateway: TestGateway;
  beforeAll(async () => {
    gateway = await startGateway();
  });
  afterAll(() => gateway.close());

  const clock = () => gateway.replicas[0]!.app.get(Clock);

  it('leads from email and password to an API key and data', async () => {
    const user = gateway.identity.addUser();
    const loggedIn = await gateway.auth(null, login, { input: { email: user.email, password: user.password } });
    expect(loggedIn.status).toBe(200);
    const { token } = loggedIn.body.data.authenticateUser;
    const made = await gateway.auth(token, create, { input: { name: 'first' } });
    expect(made.body).toEqual({ data: { createApiKey: expect.stringMatching(/^svc_/) } });
    const data = await gateway.data(made.body.data.createApiKey, '{ companiesConnection { totalCount } }');
    expect(data.body.data).toEqual({ companiesConnection: { totalCount: 0 } });
  });

  it('refuses credentials that are too long without a log-in', async () => {
    gateway.identity.loginForwardedFor = undefined;
    for (const [field, charsMax] of Object.entries({ email: 254, password: 1024 })) {
      const input = { email: 'nobody@example.com', password: 'x' };
      const send = (text: string) => gateway.auth(null, login, { input: { ...input, [field]: text } });
      const { status, body } = await send('x'.repeat(charsMax + 1));
      expect({ status, error: body.errors?.[0] }).toMatchObject({
        status: 400,
        error: {
          message: `input.${field} must have at most ${charsMax} characters`,
          extensions: { code: 'BAD_USER_INPUT' },
        },
      });
      expect(gateway.identity.loginForwardedFor).toBeUndefined();
    }
    const { status, body } = await gateway.auth(null, login, {
      input: { email: 'x'.repeat(254), password: 'x'.repeat(1024) },
    });
    expect({ status, message: body.message }).toEqual({ status: 401, message: 'Invalid credentials' });
  });

  it('stores only the hash of a key, which expires after 365 days by default', async () => {
    const { key, user } = await gateway.newKey();
    const short = await gateway.newKey({ user, expiresInDays: 1 });
    const { rows } = await gateway.sql.query(
      'select *, expires_at - created_at as life from api_key where user_id = $1 order by created_at, life desc',
      [user.id],
    );
    expect(rows).toHaveLength(2);
    expect(rows.map((row: { life: { days: number } }) => row.life.days).sort((a: number, b: number) => a - b)).toEqual([
      1, 365,
    ]);
    const stored = JSON.stringify(rows);
    for (const secret of [key, short.key]) expect(stored).not.toContain(secret.slice(12));
  });

  it('refuses names and lifetimes that are out of range, and makes no key', async () => {
    const user = gateway.identity.addUser();
    const token = gateway.identity.token(user);
    const wrong = [
      { name: 'k', expiresInDays: 0 },
      { name: 'k', expiresInDays: 366 },
      { name: 'k', expiresInDays: -1 },
      { name: '' },
      { name: 'n'.repeat(101) },
      { name: 'a\u0000b' },
      { name: 'two\nlines' },
      { name: 'half \ud800' },
      { name: 'k', expiresInDays: 1.5 },
      { name: 'k', expiresInDays: '30' },
      { expiresInDays: 3 },
    ];
    for (const input of wrong) {
      const { status, body } = await gateway.auth(token, create, { input });
      expect({ input, status, code: body.errors?.[0].extensions.code }).toEqual({
        input,
        status: 400,
        code: 'BAD_USER_INPUT',
      });
    }
    for (const input of [
      { name: 'n'.repeat(100), expiresInDays: 365 },
      { name: 'ü', expiresInDays: 1 },
      { name: 'k', expiresInDays: null },
    ]) {
      expect((await gateway.auth(token, create, { input })).status).toBe(200);
    }
    const { rows } = await gateway.sql.query('select count(*)::int as keys from api_key where user_id = $1', [user.id]);
    expect(rows).toEqual([{ keys: 3 }]);
  });

  it('refuses an expired key from the moment of its expiry', async () => {
    const { key } = await gateway.newKey({ expiresInDays: 2 });
    const start = Date.now();
    const at = jest.spyOn(clock(), 'now');
    try {
      at.mockReturnValue(new Date(start + 2 * dayMs - 60_000));
      expect((await gateway.data(key, '{ __typename }')).status).toBe(200);
      at.mockReturnValue(new Date(start + 2 * dayMs + 60_000));
      const refused = await gateway.data(key, '{ __typename }');
      expect(refused.body).toEqual({ message: 'Invalid API key', error: 'Unauthorized', statusCode: 401 });
    } finally {
      at.mockRestore();
    }
  });

  it('refuses a revoked key within five seconds, even on a replica that has it in memory', async () => {
    const { key, user } = await gateway.newKey();
    expect((await gateway.data(key, '{ __typename }')).status).toBe(200);
    // As another process does it, so that the memory of this replica does not change.
    await gateway.sql.query('update api_key set revoked_at = now() where user_id = $1', [user.id]);
    const laterMs = clock().elapsedMs() + 5001;
    const at = jest.spyOn(clock(), 'elapsedMs').mockReturnValue(laterMs);
    try {
      expect((await gateway.data(key, '{ __typename }')).status).toBe(401);
    } finally {
      at.mockRestore();
    }
  });

  it('follows a rotation of the signing keys without a failure', async () => {
    const { identity } = gateway;
    const user = identity.addUser();
    const before = identity.token(user);
    const input = { name: 'rotated' };
    expect((await gateway.auth(before, create, { input })).status).toBe(200);
    // After the pause that protects identity from invented key ids.
    const now = Date.now.bind(Date);
    const at = jest.spyOn(Date, 'now').mockImplementation(() => now() + 2000);
    try {
      identity.rotate();
      expect((await gateway.auth(identity.token(user), create, { input })).status).toBe(200);
      expect((await gateway.auth(before, create, { input })).status).toBe(200);
      const reads = identity.jwksReads;
      const invented = Array.from({ length: 30 }, (_, i) => identity.token(user, {}, { kid: `invented-${i}` }));
      const answers = await Promise.all(invented.map((token) => gateway.auth(token, create, { input })));
      expect(answers.every(({ status }) => status === 401)).toBe(true);
      expect(identity.jwksReads - reads).toBeLessThanOrEqual(1);
    } finally {
      at.mockRestore();
    }
  });

  it.each([
    ['840', '840'],
    // No time, or one too long for a client: a minute.
    [undefined, '60'],
    ['soon', '60'],
  ])('passes on that identity throttles log-ins, with Retry-After %s as %s', async (given, told) => {
    gateway.identity.loginStatus = 429;
    gateway.identity.loginRetryAfter = given;
    const { status, body, headers } = await gateway.auth(null, login, { input: { email: 'a@b.c', password: 'x' } });
    gateway.identity.loginStatus = undefined;
    gateway.identity.loginRetryAfter = undefined;
    expect(status).toBe(429);
    expect(body).toEqual({ message: expect.any(String), error: 'Too Many Requests', statusCode: 429 });
    expect(headers.get('retry-after')).toBe(told);
  });

  it('passes on that an account signs in with a second factor only', async () => {
    gateway.identity.loginStatus = 403;
    const { status, body } = await gateway.auth(null, login, { input: { email: 'a@b.c', password: 'x' } });
    gateway.identity.loginStatus = undefined;
    expect(status).toBe(403);
    expect(body).toEqual({
      message: 'This account signs in with a second factor, which only the login page of identity asks for',
      error: 'Forbidden',
      statusCode: 403,
    });
  });

  it('keeps keys working while identity is away, and answers log-ins with 502', async () => {
    const { identity } = gateway;
    const { key, user } = await gateway.newKey();
    await identity.stop();
    try {
      expect((await gateway.data(key, '{ __typename }')).status).toBe(200);
      const { status, body } = await gateway.auth(null, login, {
        input: { email: user.email, password: user.password },
      });
      expect(status).toBe(502);
      expect(body).toEqual({ message: expect.any(String), error: 'Bad Gateway', statusCode: 502 });
      // Only identity knows whether the user may still make a key.
      const made = await gateway.auth(identity.token(user), create, { input: { name: 'away' } });
      expect([made.status, made.body]).toEqual([502, body]);
    } finally {
      await identity.start();
    }
  });

  it('answers 502, not 401, when it has never read the signing keys and cannot', async () => {
    const fresh = await startGateway();
    try {
      const { identity } = fresh;
      const token = identity.token(identity.addUser());
      await identity.stop();
      const made = await fresh.auth(token, create, { input: { name: 'unread' } });
      expect([made.status, made.body.error]).toEqual([502, 'Bad Gateway']);
      await identity.start();
      expect((await fresh.auth(token, create, { input: { name: 'read' } })).status).toBe(200);
    } finally {
      await fresh.close();
    }
  });

  it('passes to identity the address that its own proxy reports, not one that the caller invents', async () => {
    const behindProxy = await startGateway({ TRUST_PROXY: '1' });
    try {
      const { identity } = behindProxy;
      const input = { email: 'nobody@example.com', password: 'wrong' };
      const headers = { 'x-forwarded-for': '198.51.100.1, 2001:db8::9' };
      expect((await behindProxy.auth(null, login, { input }, { headers })).status).toBe(401);
      expect(identity.loginForwardedFor).toBe('2001:db8::9');
    } finally {
      await behindProxy.close();
    }
  });

  it('logs every key created, used, refused and rate limited', async () => {
    const limited = await startGateway({ DATA_CALLS_PER_DAY: '1', KEY_CACHE_MS: '0' });
    try {
      const { key, user } = await limited.newKey();
      const query = 'query page { dealsConnection { totalCount } }';
      await limited.data(key, query);
      await limited.data(key, query);
      const keys = limited.replicas[0]!.app.get(ApiKeysService);
      const [stored] = await keys.list({ user: user.email });
      await keys.revoke(stored!, byOperator);
      await limited.data(key, query);
      await limited.data('svc_unknownunknown', query);
      await limited.replicas[0]!.app.get(AuditLogService).flush();
      const { rows } = await limited.sql.query(
        'select outcome, key_id, key_prefix, user_id, ip, operation_name, at from api_key_audit order by at, id',
      );
      const of = (outcome: string, operation: string | null, ip: unknown = expect.stringContaining('127.0.0.1')) => ({
        outcome,
        key_id: stored!.id,
        key_prefix: key.slice(0, 8),
        user_id: user.id,
        ip,
        operation_name: operation,
        at: expect.any(Date),
      });
      expect(rows).toEqual([
        of('created', null),
        of('used', 'page'),
        of('rate_limited', 'page'),
        of('revoked', null, null),
        of('refused_revoked', null),
        { ...of('refused_unknown', null), key_id: null, user_id: null, key_prefix: 'svc_unkn' },
      ]);
      await expect(limited.sql.query('delete from api_key_audit')).rejects.toThrow('append-only');
    } finally {
      await limited.close();
    }
  });

  it('makes and revokes a key together with its audit entry, or not at all', async () => {
    const shared = await startGateway();
    try {
      const { user } = await shared.newKey();
      const outcomes = `select outcome from api_key_audit order by id`;
      // Not waited for: a kill after the answer loses nothing.
      expect((await shared.sql.query(outcomes)).rows).toEqual([{ outcome: 'created' }]);
      await shared.sql.query(`create function audit_away() returns trigger language plpgsql
        as $$ begin raise exception 'audit log is away'; end $$;
        create trigger audit_away before insert on api_key_audit for each statement execute function audit_away()`);
      await expect(shared.newKey({ user })).rejects.toThrow();
      const keys = shared.replicas[0]!.app.get(ApiKeysService);
      const [only, ...others] = await keys.list({ user: user.email });
      expect(others).toEqual([]);
      await expect(keys.revoke(only!, byOperator)).rejects.toThrow('audit log is away');
      expect((await keys.list({ user: user.email }))[0]).toMatchObject({ revokedAt: null });
      await shared.sql.query('drop trigger audit_away on api_key_audit');
      await keys.revoke(only!, byOperator);
      expect((await shared.sql.query(outcomes)).rows).toEqual([{ outcome: 'created' }, { outcome: 'revoked' }]);
    } finally {
      await shared.close();
    }
  });

  it('a thousand bad keys of one network get 401, then 429 with Retry-After, and a dozen audit rows in all', async () => {
    const attacked = await startGateway({ TRUST_PROXY: 'true', REFUSED_KEYS_PER_MINUTE: '60' });
    try {
      const { key } = await attacked.newKey();
      const from = (n: number) => ({ headers: { 'x-forwarded-for': `2001:db8:5:5:${n.toString(16)}::1` } });
      expect((await attacked.data(key, '{ __typename }', {}, from(1))).status).toBe(200);
      const statuses = new Map<number, number>();
      for (let n = 0; n < 1000; n += 50) {
        const answers = await Promise.all(
          Array.from({ length: 50 }, (_, turn) =>
            attacked.data(`svc_${n + turn}aaaaaaaa`, '{ __typename }', {}, from(n + turn)),
          ),
        );
        for (const { status } of answers) statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
      expect(Object.fromEntries(statuses)).toEqual({ 401: 60, 429: 940 });
      const { body, headers, status } = await attacked.data('svc_bad', '{ __typename }', {}, from(2));
      expect(status).toBe(429);
      expect(body).toEqual({ message: expect.any(String), error: 'Too Many Requests', statusCode: 429 });
      const seconds = Number(headers.get('retry-after'));
      expect([seconds > 0, seconds <= 60]).toEqual([true, true]);
      expect(headers.get('ratelimit')).toBe(`"refused_keys";r=0;t=${seconds}`);
      // Good keys of that network still work, and other networks get "Invalid API key".
      expect((await attacked.data(key, '{ __typename }', {}, from(1))).status).toBe(200);
      const elsewhere = { headers: { 'x-forwarded-for': '2001:db8:5:6::1' } };
      expect((await attacked.data('svc_bad', '{ __typename }', {}, elsewhere)).body.message).toBe('Invalid API key');
      await attacked.replicas[0]!.close();
      const { rows } = await attacked.sql.query(
        `select count(*)::int as rows, sum(occurrences)::int as refusals from api_key_audit where outcome = 'refused_unknown'`,
      );
      expect(rows).toEqual([{ rows: 12, refusals: 61 }]);
    } finally {
      await attacked.close();
    }
  });

  it('loses no audit entry at a clean stop', async () => {
    const stopped = await startGateway();
    const { key } = await stopped.newKey();
    await Promise.all(Array.from({ length: 50 }, () => stopped.data(key, '{ __typename }')));
    await stopped.replicas[0]!.close();
    const { rows } = await stopped.sql.query(`select count(*)::int as used from api_key_audit where outcome = 'used'`);
    expect(rows).toEqual([{ used: 50 }]);
    await stopped.close();
  });
});
