// Administration of users over REST.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { Users } from '../src/operators/users.service.js';
import type { User } from '../src/users/users.types.js';
import { Administration, machineOfAcmeToken, machineToken } from './administration.fixture.js';
import { password } from './identity.fixture.js';

const loopback = expect.stringContaining('127.0.0.1');

describe('administration of users', () => {
  let api: Administration;
  let admin: { user: User; token: string };
  beforeAll(async () => {
    api = await Administration.start();
    admin = await api.admin();
  });
  afterAll(() => api.identity.close());

  const send: Administration['send'] = (...given) => api.send(...given);

  it('makes a user who can sign in, and the audit log has who made it', async () => {
    const given = { email: 'Grace@Example.com', password, role: 'ANALYST', company_id: 'navy', name: 'Grace Hopper' };
    const made = await send(admin.token, 'POST /users', given);
    expect(made).toEqual({
      status: 200,
      body: {
        ...{ id: expect.any(String), email: 'Grace@Example.com', email_verified: false, role: 'ANALYST' },
        ...{ name: 'Grace Hopper', given_name: null, family_name: null, preferred_username: null },
        ...{
          company_id: 'navy',
          disabled_at: null,
          has_second_factor: false,
          language: null,
          created_at: expect.stringMatching(/Z$/),
        },
      },
    });
    expect(await send(machineToken, `GET /users/${made.body.id}`)).toEqual(made);
    const login = await fetch(`${api.identity.issuer}/auth/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ email: 'grace@example.com', password }),
    });
    expect(login.status).toBe(200);
    expect(await api.changesOf({ user: made.body.id })).toEqual([['user.created', admin.user.id, loopback]]);
  });

  it('makes one user of an address, however often and in whatever case it is sent', async () => {
    const bodies = ['twin@example.com', 'TWIN@example.com', 'Twin@Example.com'].map((email) => ({ email, password }));
    const answers = await Promise.all(bodies.map((body) => send(machineToken, 'POST /users', body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
    expect(answers.find(({ status }) => status === 409)?.body).toEqual({
      ...{ message: 'There is a user with this address', error: 'Conflict', statusCode: 409 },
    });
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'body must be an object'],
    ['nothing', {}, 'email must be'],
    ['an address of null', { email: null, password }, 'email must be a string'],
    ['no address', { email: 'nobody', password }, 'is not an email address'],
    ['U+0000 in the address', { email: 'a\0@example.com', password }, 'is not an email address'],
    ['a huge address', { email: `${'a'.repeat(1000)}@example.com`, password }, 'email must be shorter'],
    ['a short password', { email: 'short@example.com', password: 'short' }, 'a password has 12 to 1024 characters'],
    ['a role of null', { email: 'r@example.com', password, role: null }, 'role must be one of'],
    ['an unknown role', { email: 'r@example.com', password, role: 'ROOT' }, 'role must be one of'],
    ['a company of control characters', { email: 'r@example.com', password, company_id: 'a\0b' }, 'company_id must be'],
    ['an empty company', { email: 'r@example.com', password, company_id: '' }, 'company_id must be'],
    ['an unknown field', { email: 'r@example.com', password, id: randomUUID() }, 'id should not exist'],
  ])('refuses %s as a new user', async (_name, body, message) => {
    const { status, body: answer } = await send(machineToken, 'POST /users', JSON.stringify(body));
    expect([status, [answer.message].flat().join()]).toEqual([400, expect.stringContaining(message)]);
  });

  it('shows every user once, newest first, page by page, also those of the same microsecond', async () => {
    await api.query(
      `insert into user_account (email, email_key, role, password_hash, company_id, created_at)
       select 'row' || n || '@paged.example.com', 'row' || n || '@paged.example.com', 'USER', '-', 'paged',
              '2026-01-01T00:00:00Z'::timestamptz + (n / 3) * interval '1 microsecond' from generate_series(1, 25) n`,
    );
    const users = await api.everyPage(machineToken, '/users?company_id=paged&limit=4', 'users');
    const rows = await api.query<{ email: string }>(
      `select email from user_account where company_id = 'paged' order by created_at desc, id desc`,
    );
    expect(users.map(({ email }) => email)).toEqual(rows.map(({ email }) => email));
    expect(users).toHaveLength(25);
  });

  it('finds users by the beginning of their address in any case, in the order of addresses', async () => {
    await api.query(
      `insert into user_account (email, email_key, role, password_hash, company_id)
       select upper(name) || '@find.example.com', name || '@find.example.com', 'USER', '-', company
         from (values ('zo_e', 'acme'), ('zo%', 'acme'), ('zoë', 'globex'), ('zola', null), ('zz', 'acme')) as v(name, company)`,
    );
    const found = async (token: string, query: string) =>
      (await api.everyPage(token, `/users?limit=2&${query}`, 'users')).map(({ email }) => String(email).split('@')[0]);
    expect(await found(machineToken, 'search=Zo')).toEqual(['ZO%', 'ZO_E', 'ZOLA', 'ZOË']);
    expect(await found(machineToken, 'search=zo%25')).toEqual(['ZO%']);
    expect(await found(machineToken, 'search=zo_')).toEqual(['ZO_E']);
    expect(await found(machineToken, 'search=zo&company_id=acme')).toEqual(['ZO%', 'ZO_E']);
    expect(await found(machineOfAcmeToken, 'search=zo')).toEqual(['ZO%', 'ZO_E']);
    expect(await found(machineToken, 'search=zo&role=ADMIN')).toEqual([]);
  });

  it.each([
    ['limit=0', 'limit must be'],
    ['limit=201', 'limit must be'],
    ['cursor=x', 'cursor must be'],
    ['cursor=', 'cursor must be'],
    ['search=', 'search must be'],
    ['search=%00', 'search must be'],
    [`search=${'a'.repeat(300)}`, 'search must be'],
    ['search=a&search=b', 'search must be'],
    ['role=root', 'role must be'],
    ['company_id=%00', 'company_id must be'],
    ['page=2', 'page should not exist'],
    // Positions that no list has, without the hash of the filter.
    [`cursor=${Buffer.from('[1e300,"x"]').toString('base64url')}`, 'cursor must be'],
  ])('refuses a list with %s', async (query, message) => {
    const { status, body } = await send(machineToken, `GET /users?${query}`);
    expect([status, [body.message].flat().join()]).toEqual([400, expect.stringContaining(message)]);
  });

  it('takes a cursor for the list that it came from, and for no other', async () => {
    const { body } = await send(machineToken, 'GET /users?limit=1');
    const cursor = encodeURIComponent(body.next_cursor ?? '');
    expect((await send(machineToken, `GET /users?limit=1&cursor=${cursor}`)).status).toBe(200);
    expect((await send(machineToken, `GET /users?limit=1&cursor=${cursor}&role=USER`)).status).toBe(400);
    expect((await send(machineToken, `GET /users?limit=1&cursor=${cursor}&search=a`)).status).toBe(400);
    expect((await send(machineOfAcmeToken, `GET /users?limit=1&cursor=${cursor}`)).status).toBe(400);
  });

  it.each(['x', '1', randomUUID().replaceAll('-', ''), '%00', 'null', '-1', '9'.repeat(2000), '..%2f..'])(
    'refuses %j as the id of a user',
    async (id) => expect((await send(machineToken, `GET /users/${id}`)).status).toBe(id.length > 1000 ? 414 : 400),
  );

  it.each<[string, object | undefined]>([
    ['role', { role: 'ANALYST' }],
    ['company', { company_id: 'acme' }],
    ['disable', undefined],
    ['enable', undefined],
    ['second-factor/reset', undefined],
    ['password-link', undefined],
    ['sessions/end-all', undefined],
    ['sessions/some-session/end', undefined],
  ])('answers 404 to %s of a user who does not exist', async (action, body) => {
    expect((await send(machineToken, `POST /users/${randomUUID()}/${action}`, body)).status).toBe(404);
  });

  it.each<[string, object | string | undefined]>([
    ['role', {}],
    ['role', { role: null }],
    ['role', { role: ['ADMIN'] }],
    ['role', 'null'],
    ['company', {}],
    ['company', { company_id: 1 }],
    ['company', { company_id: 'a'.repeat(201) }],
  ])('refuses %s with %j', async (action, body) => {
    const user = await api.identity.createUser();
    expect((await send(machineToken, `POST /users/${user.id}/${action}`, body)).status).toBe(400);
    expect((await api.changesOf({ user: user.id })).length).toBe(1);
  });

  it('changes role and company once, however often it is sent, ends the tokens, and notes who did it', async () => {
    const { user, token } = await api.admin();
    const path = `/users/${user.id}`;
    const clicks = await Promise.all([1, 2, 3].map(() => send(admin.token, `POST ${path}/role`, { role: 'ANALYST' })));
    expect(clicks.map(({ status, body }) => [status, body.role])).toEqual(clicks.map(() => [200, 'ANALYST']));
    expect((await send(token, 'GET /users')).status).toBe(401);
    for (const company_id of ['acme', 'acme', null]) {
      expect((await send(machineToken, `POST ${path}/company`, { company_id })).body.company_id).toBe(company_id);
    }
    expect(await api.changesOf({ user: user.id })).toEqual([
      ['user.created', 'operator', null],
      ['user.role_set', admin.user.id, loopback],
      ['user.company_set', 'console', loopback],
      ['user.company_set', 'console', loopback],
    ]);
  });

  it('disables and enables, each once, and a disabled ADMIN administers no more', async () => {
    const { user, token } = await api.admin();
    const path = `POST /users/${user.id}`;
    const clicks = await Promise.all([1, 2].map(() => send(admin.token, `${path}/disable`)));
    expect(clicks.map(({ status }) => status)).toEqual([200, 200]);
    expect(clicks[0]?.body.disabled_at).toMatch(/Z$/);
    expect((await send(token, 'GET /users')).status).toBe(401);
    for (let click = 0; click < 2; click += 1) {
      expect((await send(machineToken, `${path}/enable`)).body.disabled_at).toBeNull();
    }
    expect((await send(token, 'GET /users')).status).toBe(401);
    expect((await api.changesOf({ user: user.id })).slice(1)).toEqual([
      ['user.disabled', admin.user.id, loopback],
      ['user.enabled', 'console', loopback],
    ]);
  });

  it('lists the sessions of a user and ends one, or all', async () => {
    const user = await api.identity.createUser({ companyId: 'acme' });
    for (let count = 0; count < 3; count += 1) await api.tokenOf(user);
    const path = `/users/${user.id}/sessions`;
    const sessions = await api.everyPage(machineToken, `${path}?limit=1`, 'sessions');
    expect(sessions).toHaveLength(3);
    expect(sessions[0]).toMatchObject({ signed_in_at: expect.stringMatching(/Z$/), address: loopback });
    const ids = sessions.map(({ id }) => String(id));
    const ended = await Promise.all([1, 2].map(() => send(admin.token, `POST ${path}/${ids[0]}/end`)));
    expect(ended.map(({ status }) => status).toSorted()).toEqual([200, 404]);
    const left = await send(machineOfAcmeToken, `GET ${path}`);
    expect(left.body.sessions.map(({ id }) => id)).toEqual(ids.slice(1));
    expect((await send(machineOfAcmeToken, `POST ${path}/end-all`)).body.sessions).toEqual([]);
    expect((await send(machineToken, `GET ${path}`)).body).toEqual({ sessions: [], next_cursor: null });
    expect((await api.changesOf({ user: user.id })).slice(1)).toEqual([
      ['session.ended', admin.user.id, loopback],
      ['user.signed_out_everywhere', 'console-of-acme', loopback],
    ]);
  });

  it('ends no session of another user', async () => {
    const [user, other] = [await api.identity.createUser(), await api.identity.createUser()];
    await api.tokenOf(other);
    const [session] = await api.everyPage(machineToken, `/users/${other.id}/sessions`, 'sessions');
    expect((await send(machineToken, `POST /users/${user.id}/sessions/${String(session?.['id'])}/end`)).status).toBe(
      404,
    );
    expect(await api.everyPage(machineToken, `/users/${other.id}/sessions`, 'sessions')).toHaveLength(1);
  });

  describe('for a caller of a company', () => {
    let ofAcme: { user: User; token: string };
    let outsiders: User[];
    beforeAll(async () => {
      ofAcme = await api.admin('acme');
      outsiders = [await api.identity.createUser({ companyId: 'globex' }), await api.identity.createUser()];
    });

    it('has the users of that company, and those of no other exist', async () => {
      for (const token of [ofAcme.token, machineOfAcmeToken]) {
        const listed = await api.everyPage(token, '/users', 'users');
        expect(new Set(listed.map(({ company_id }) => company_id))).toEqual(new Set(['acme']));
        expect((await send(token, `GET /users/${ofAcme.user.id}`)).status).toBe(200);
        expect((await send(token, 'GET /users?company_id=globex')).status).toBe(403);
        for (const { id } of outsiders) {
          const unknown = randomUUID();
          for (const action of ['', '/sessions']) {
            const [other, none] = [
              await send(token, `GET /users/${id}${action}`),
              await send(token, `GET /users/${unknown}${action}`),
            ];
            expect(JSON.stringify(other).replaceAll(id, unknown)).toBe(JSON.stringify(none));
          }
          for (const [action, body] of [
            ...([['role', { role: 'ADMIN' }], ['disable'], ['enable'], ['sessions/end-all']] as [string, object?][]),
            ...([['second-factor/reset'], ['password-link']] as [string][]),
            ...([['sessions/x/end']] as [string][]),
          ]) {
            expect([action, (await send(token, `POST /users/${id}/${action}`, body)).status]).toEqual([action, 404]);
          }
        }
      }
      for (const { id } of outsiders) expect((await api.changesOf({ user: id })).length).toBe(1);
    });

    it('makes users in that company alone, and moves nobody', async () => {
      const email = 'new@acme.example.com';
      expect((await send(ofAcme.token, 'POST /users', { email, password, company_id: 'globex' })).status).toBe(403);
      expect((await send(ofAcme.token, 'POST /users', { email, password, company_id: null })).body.company_id).toBe(
        'acme',
      );
      for (const company_id of ['globex', null, 'acme']) {
        expect((await send(ofAcme.token, `POST /users/${ofAcme.user.id}/company`, { company_id })).status).toBe(403);
      }
    });
  });
});

describe('the last ADMIN', () => {
  let api: Administration;
  beforeAll(async () => {
    api = await Administration.start();
  });
  afterAll(() => api.identity.close());

  it('of all companies is not disabled, lowered or moved over REST, but by a command', async () => {
    const { user, token } = await api.admin();
    // Neither can replace the last one.
    await api.admin('acme');
    await api.identity.running.app.get(Users, { strict: false }).disable((await api.admin()).user.email);
    for (const by of [token, machineToken]) {
      for (const [action, body] of [['disable'], ['role', { role: 'USER' }], ['company', { company_id: 'acme' }]] as [
        string,
        object?,
      ][]) {
        const { status, body: answer } = await api.send(by, `POST /users/${user.id}/${action}`, body);
        expect([action, status, answer.error]).toEqual([action, 409, 'Conflict']);
      }
    }
    expect((await api.send(token, `GET /users/${user.id}`)).body).toMatchObject({ role: 'ADMIN', disabled_at: null });
    await api.identity.running.app.get(Users, { strict: false }).disable(user.email);
    expect((await api.send(token, 'GET /users')).status).toBe(401);
  });

  it('stays when two disable each other at the same moment', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [one, other] = [await api.admin(), await api.admin()];
      const answers = await Promise.all([
        api.send(one.token, `POST /users/${other.user.id}/disable`),
        api.send(other.token, `POST /users/${one.user.id}/disable`),
      ]);
      // The second is refused: as the last one, or because its own token has ended.
      const statuses = answers.map(({ status }) => status).toSorted();
      expect(statuses[0]).toBe(200);
      expect([401, 409]).toContain(statuses[1]);
      const users = api.identity.running.app.get(Users, { strict: false });
      for (const { user } of [one, other]) await users.disable(user.email);
    }
  });
});
