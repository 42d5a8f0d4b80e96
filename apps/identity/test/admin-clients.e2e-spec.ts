// Administration of OAuth clients over REST.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { User } from '../src/users/users.types.js';
import { Administration, machineOfAcmeToken, machineToken, type Answer } from './administration.fixture.js';
import { password } from './identity.fixture.js';
import { obtainTokens, refresh } from './user-agent.js';

const redirectUri = 'https://app.example.com/callback';
type Client = Pick<Answer['body'], 'client_id' | 'client_secret'>;
const loopback = expect.stringContaining('127.0.0.1');

describe('administration of clients', () => {
  let api: Administration;
  let admin: { user: User; token: string };
  beforeAll(async () => {
    api = await Administration.start();
    admin = await api.admin();
  });
  afterAll(() => api.identity.close());

  const send: Administration['send'] = (...given) => api.send(...given);
  const make = async (given: object = {}) =>
    (await send(admin.token, 'POST /clients', { redirect_uris: [redirectUri], ...given })).body;
  const tokensOf = async ({ client_id: clientId, client_secret: clientSecret }: Client) => {
    const { email } = await api.identity.createUser();
    const client = { clientId, clientSecret };
    const scope = 'openid offline_access';
    return { client, ...(await obtainTokens(api.identity.issuer, { client, email, password, scope })) };
  };

  it('makes a client with a secret that is shown once, and the audit log has who made it', async () => {
    const given = { client_id: 'reports', client_name: 'Reports', resources: ['urn:tradewind:data'] };
    const { status, body } = await send(admin.token, 'POST /clients', { redirect_uris: [redirectUri], ...given });
    expect([status, body]).toEqual([
      200,
      {
        ...{ ...given, origin: 'operator', redirect_uris: [redirectUri], post_logout_redirect_uris: [] },
        ...{ backchannel_logout_uri: null, grant_types: ['authorization_code', 'refresh_token'], scope: null },
        ...{ token_endpoint_auth_method: 'client_secret_post', introspects: null, used_at: null },
        ...{ created_at: expect.stringMatching(/Z$/), client_secret: expect.stringMatching(/^[\w-]{43}$/) },
      },
    ]);
    const { client_secret: secret, ...shown } = body;
    expect(await send(machineToken, 'GET /clients/reports')).toEqual({ status: 200, body: shown });
    const listed = await api.everyPage(machineToken, '/clients?limit=1', 'clients');
    expect(JSON.stringify(listed)).not.toContain(secret);
    expect(await api.changesOf({ client: 'reports' })).toEqual([['client.created', admin.user.id, loopback]]);
    expect((await tokensOf(body)).access_token).toEqual(expect.any(String));
  });

  it('makes one client of an id, however often it is sent', async () => {
    const body = { client_id: 'twins', redirect_uris: [redirectUri] };
    const answers = await Promise.all([1, 2, 3].map(() => send(machineToken, 'POST /clients', body)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409, 409]);
  });

  it.each<[string, unknown, string]>([
    ['null', null, 'body must be an object'],
    ['nothing', {}, 'redirect_uris must be an array'],
    ['an id of the account pages', { client_id: 'tradewind-account' }, 'client of the account pages'],
    ['an odd id', { client_id: 'a/../b' }, 'client_id must match'],
    ['an empty id', { client_id: '' }, 'client_id must'],
    ['an id of null', { client_id: null }, 'client_id must'],
    ['a huge id', { client_id: 'a'.repeat(201) }, 'client_id must'],
    ['a redirect to plain http', { redirect_uris: ['http://example.com/'] }, 'redirect_uris must be https'],
    ['redirects of null', { redirect_uris: [null] }, 'redirect_uris'],
    ['too many redirects', { redirect_uris: Array.from({ length: 101 }, () => redirectUri) }, 'redirect_uris must'],
    ['an unknown grant', { grant_types: ['password'] }, 'grant_types'],
    ['an unknown resource', { resources: ['urn:elsewhere'] }, 'is not in OAUTH_RESOURCES'],
    ['a logout call into the own network', { backchannel_logout_uri: 'https://10.0.0.1/' }, 'backchannel_logout_uri'],
    ['a secret of its own', { client_secret: 'x'.repeat(40) }, 'client_secret should not exist'],
  ])('refuses a new client with %s', async (_name, given, message) => {
    const known = { redirect_uris: [redirectUri] };
    const body =
      given === null ? null : Object.keys(given as object).length === 0 ? {} : { ...known, ...(given as object) };
    const { status, body: answer } = await send(machineToken, 'POST /clients', JSON.stringify(body));
    expect([status, [answer.message].flat().join()]).toEqual([400, expect.stringContaining(message)]);
  });

  it('shows every client once, newest first, page by page', async () => {
    for (let count = 0; count < 5; count += 1) await make();
    const listed = await api.everyPage(machineToken, '/clients?limit=2', 'clients');
    const rows = await api.query<{ id: string }>(
      'select client_id as id from oauth_client order by created_at desc, client_id desc',
    );
    expect(listed.map(({ client_id }) => client_id)).toEqual(rows.map(({ id }) => id));
  });

  it('changes what is sent, keeps what is absent, removes what is null, and notes who did it once', async () => {
    const client = await make({
      client_name: 'Before',
      scope: 'openid email',
      post_logout_redirect_uris: [redirectUri],
    });
    const path = `/clients/${client.client_id}`;
    const { body: before } = await send(machineToken, `GET ${path}`);
    const edit = { client_name: 'After', scope: null, post_logout_redirect_uris: null };
    const clicks = await Promise.all([1, 2].map(() => send(admin.token, `PATCH ${path}`, edit)));
    const expected = { ...before, client_name: 'After', scope: null, post_logout_redirect_uris: [] };
    for (const click of clicks) expect(click).toEqual({ status: 200, body: expected });
    expect((await api.changesOf({ client: client.client_id })).slice(1)).toEqual([
      ['client.edited', admin.user.id, loopback],
    ]);
    // Its secret is as it was.
    expect((await tokensOf(client)).access_token).toEqual(expect.any(String));
  });

  it.each<[string, unknown]>([
    ['null', null],
    ['redirects of null', { redirect_uris: null }],
    ['no redirect', { redirect_uris: [] }],
    ['a redirect to plain http', { redirect_uris: ['http://example.com/'] }],
    ['an empty name', { client_name: '' }],
    ['another id', { client_id: 'other' }],
    ['another secret', { client_secret: 'x'.repeat(40) }],
    ['resources', { resources: ['urn:tradewind:data'] }],
  ])('refuses to change a client to %s', async (_name, body) => {
    const { client_id: id } = await make();
    expect((await send(machineToken, `PATCH /clients/${id}`, JSON.stringify(body))).status).toBe(400);
    expect(await api.changesOf({ client: id })).toHaveLength(1);
  });

  it('lets it ask tokens of a resource, and no longer', async () => {
    const { client_id: id } = await make();
    const resource = 'urn:tradewind:pipelines';
    for (let click = 0; click < 2; click += 1) {
      expect((await send(machineToken, `POST /clients/${id}/resources/allow`, { resource })).body.resources).toEqual([
        resource,
      ]);
    }
    expect((await send(machineToken, `POST /clients/${id}/resources/disallow`, { resource })).body.resources).toEqual(
      [],
    );
    const events = (await api.changesOf({ client: id })).slice(1);
    expect(events.at(-1)).toEqual(['client.resource_disallowed', 'console', loopback]);
    for (const bad of [null, '', 'urn:elsewhere', api.identity.issuer]) {
      expect((await send(machineToken, `POST /clients/${id}/resources/allow`, { resource: bad })).status).toBe(400);
    }
  });

  it('gives a new secret, which alone is good from then on', async () => {
    const client = await make();
    const { client: old, refresh_token: token } = await tokensOf(client);
    const { status, body } = await send(admin.token, `POST /clients/${client.client_id}/rotate-secret`);
    expect([status, body.client_secret === client.client_secret]).toEqual([200, false]);
    expect((await refresh(api.identity.issuer, old, token)).status).toBe(401);
    const renewed = { ...old, clientSecret: body.client_secret };
    expect((await refresh(api.identity.issuer, renewed, token)).status).toBe(200);
    expect((await api.changesOf({ client: client.client_id })).at(-1)).toEqual([
      'client.secret_rotated',
      admin.user.id,
      loopback,
    ]);
    const open = await make({ token_endpoint_auth_method: 'none' });
    expect(open.client_secret).toBeNull();
    expect((await send(admin.token, `POST /clients/${open.client_id}/rotate-secret`)).status).toBe(409);
  });

  it('of two new secrets at one moment leaves one good', async () => {
    const client = await make();
    const answers = await Promise.all(
      [1, 2].map(() => send(machineToken, `POST /clients/${client.client_id}/rotate-secret`)),
    );
    const good = await Promise.all(
      answers.map(async ({ body }) => {
        const form = { client_id: client.client_id, client_secret: body.client_secret, token: 'x' };
        const url = `${api.identity.issuer}/oauth/token/introspection`;
        return (await fetch(url, { method: 'POST', body: new URLSearchParams(form) })).status;
      }),
    );
    expect(good.toSorted()).toEqual([200, 401]);
  });

  it('deletes a client with its tokens, once', async () => {
    const client = await make();
    const { client: known, refresh_token: token } = await tokensOf(client);
    const answers = await Promise.all([1, 2].map(() => send(admin.token, `DELETE /clients/${client.client_id}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404]);
    expect((await refresh(api.identity.issuer, known, token)).status).toBe(401);
    expect((await api.changesOf({ client: client.client_id })).at(-1)).toEqual([
      'client.deleted',
      admin.user.id,
      loopback,
    ]);
  });

  it.each<[string, object | undefined]>([
    ['GET /clients/ID', undefined],
    ['PATCH /clients/ID', {}],
    ['POST /clients/ID/resources/allow', { resource: 'urn:tradewind:data' }],
    ['POST /clients/ID/resources/disallow', { resource: 'urn:tradewind:data' }],
    ['POST /clients/ID/rotate-secret', undefined],
    ['DELETE /clients/ID', undefined],
  ])('%s answers 404 to an unknown id and 400 to an odd one', async (route, body) => {
    expect((await send(machineToken, route.replace('ID', 'nobody'), body)).status).toBe(404);
    expect((await send(machineToken, route.replace('ID', '..%2F%2e%2e'), body)).status).toBe(404);
    expect((await send(machineToken, route.replace('ID', '%00'), body)).status).toBe(400);
    expect((await send(machineToken, route.replace('ID', 'a'.repeat(300)), body)).status).toBe(400);
    expect((await send(machineOfAcmeToken, route.replace('ID', 'nobody'), body)).status).toBe(403);
  });
});
