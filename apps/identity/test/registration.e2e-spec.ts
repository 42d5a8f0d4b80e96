import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import pg from 'pg';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { authorizationUrl, makePkce, obtainTokens, userinfo, UserAgent } from './user-agent.js';

interface Registration extends Record<string, unknown> {
  client_id: string;
  client_secret: string;
  registration_access_token: string;
  registration_client_uri: string;
  client_secret_expires_at: number;
  client_id_issued_at: number;
}

const redirectUri = 'https://app.example.com/callback';

describe('dynamic registration', () => {
  let identity: Identity;
  beforeAll(async () => {
    identity = await startIdentity({ BODY_LIMIT_BYTES: '20000' });
  });
  afterAll(() => identity.close());

  const register = (metadata: unknown, base = identity.issuer, headers: Record<string, string> = {}) =>
    fetch(`${base}/oauth/reg`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
    });
  const registered = async (more: object = {}) =>
    (await (await register({ redirect_uris: [redirectUri], ...more })).json()) as Registration;
  const manage = async (method: string, { client_id }: Registration, token: string, body?: object) => {
    const response = await fetch(`${identity.issuer}/oauth/reg/${client_id}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body ? { 'content-type': 'application/json' } : {}) },
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    const text = await response.text();
    return { status: response.status, headers: response.headers, body: (text ? JSON.parse(text) : {}) as Registration };
  };

  it('answers 201 with the record, and client_secret_post when no method is named', async () => {
    const response = await register({
      client_name: 'My app',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    });
    expect(response.status).toBe(201);
    expect(response.headers.get('cache-control')).toContain('no-store');
    const body = (await response.json()) as Registration;
    expect(body).toMatchObject({
      client_name: 'My app',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
      client_id: expect.any(String),
      client_secret: expect.any(String),
      client_secret_expires_at: 0,
      registration_access_token: expect.any(String),
      registration_client_uri: `${identity.issuer}/oauth/reg/${body.client_id}`,
    });
    expect(Object.keys(body).filter((name) => name.startsWith('urn:'))).toEqual([]);
  });

  it('registers each authentication method, and gives public clients no secret', async () => {
    for (const method of ['client_secret_basic', 'client_secret_post']) {
      expect(await registered({ token_endpoint_auth_method: method })).toHaveProperty('client_secret');
    }
    expect(await registered({ token_endpoint_auth_method: 'none' })).not.toHaveProperty('client_secret');
    const refused = await register({ redirect_uris: [redirectUri], token_endpoint_auth_method: 'client_secret_jwt' });
    expect([refused.status, await refused.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_client_metadata' }),
    ]);
  });

  it('limits the metadata of a registration', async () => {
    const uris = (count: number, length: number) =>
      Array.from({ length: count }, (_, number) => `${redirectUri}/${number}/`.padEnd(length, 'x'));
    for (const good of [
      { client_name: 'x'.repeat(100) },
      { redirect_uris: uris(20, 300) },
      { redirect_uris: uris(2, 2000) },
    ]) {
      expect((await register({ redirect_uris: [redirectUri], ...good })).status).toBe(201);
    }
    const first = await registered();
    let token = first.registration_access_token;
    for (const bad of [
      { client_name: 'x'.repeat(101) },
      { redirect_uris: uris(21, 100) },
      { redirect_uris: uris(1, 2001) },
      { redirect_uris: uris(20, 500) },
      { contacts: ['x'.repeat(8192)] },
    ]) {
      const refused = await register({ redirect_uris: [redirectUri], ...bad });
      expect([refused.status, ((await refused.json()) as { error: string }).error]).toEqual([
        400,
        'invalid_client_metadata',
      ]);
      const updated = await manage('PUT', first, token, {
        client_id: first.client_id,
        redirect_uris: [redirectUri],
        ...bad,
      });
      expect([updated.status, updated.body['error']]).toEqual([400, 'invalid_client_metadata']);
    }
    token = (await manage('GET', first, token)).body.registration_access_token;
    expect(token).toEqual(expect.any(String));
  });

  it.each([
    { token_endpoint_auth_method: 'private_key_jwt', jwks_uri: 'https://keys.example.com/jwks' },
    { subject_type: 'pairwise', sector_identifier_uri: 'https://app.example.com/sector' },
    { sector_identifier_uri: 'https://10.0.0.1/sector' },
  ])('takes no address that it would have to read: %j', async (metadata) => {
    const first = await registered();
    const given = { redirect_uris: [redirectUri], ...metadata };
    const refused = await register(given);
    expect(await refused.json()).toEqual({
      error: 'invalid_client_metadata',
      error_description: expect.stringMatching(/^(jwks_uri|sector_identifier_uri) is not read by this service/),
    });
    const updated = await manage('PUT', first, first.registration_access_token, {
      client_id: first.client_id,
      ...given,
    });
    expect([refused.status, updated.status]).toEqual([400, 400]);
  });

  it('reads no keys from an address inside the network', async () => {
    let requests = 0;
    const inside = createServer((_request, response) => {
      requests += 1;
      response.end('{"keys":[]}');
    });
    await new Promise<void>((listening) => inside.listen(0, '127.0.0.1', listening));
    const address = `http://127.0.0.1:${(inside.address() as AddressInfo).port}/jwks`;
    const { publicKey, privateKey } = await generateKeyPair('ES256');
    const { client_id: clientId } = await registered({
      token_endpoint_auth_method: 'private_key_jwt',
      jwks: { keys: [await exportJWK(publicKey)] },
    });
    // As a client from before addresses were refused.
    const database = new pg.Client({ connectionString: identity.databaseUrl });
    await database.connect();
    await database.query(
      `update identity.oauth_client set metadata = (metadata::jsonb - 'jwks' || jsonb_build_object('jwks_uri', $2::text))::text
       where client_id = $1`,
      [clientId, address],
    );
    await database.end();
    const assertion = await new SignJWT({ jti: 'one' })
      .setProtectedHeader({ alg: 'ES256' })
      .setIssuer(clientId)
      .setSubject(clientId)
      .setAudience(identity.issuer)
      .setIssuedAt()
      .setExpirationTime('1m')
      .sign(privateKey);
    const answer = await fetch(`${identity.issuer}/oauth/token`, {
      method: 'POST',
      body: new URLSearchParams({
        ...{ grant_type: 'refresh_token', refresh_token: 'none', client_id: clientId, client_assertion: assertion },
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      }),
    });
    inside.close();
    expect([answer.status, ((await answer.json()) as { error: string }).error]).toEqual([401, 'invalid_client']);
    expect(requests).toBe(0);
  });

  it('stores no secret in plain text', async () => {
    const { client_id, client_secret, registration_access_token } = await registered();
    const database = new pg.Client({ connectionString: identity.databaseUrl });
    await database.connect();
    const { rows } = await database.query(
      'select c::text as row from identity.oauth_client c union all select p::text from identity.oidc_payload p',
    );
    await database.end();
    const all = (rows as { row: string }[]).map(({ row }) => row).join('\n');
    expect(all).toContain(client_id);
    expect(all).not.toContain(client_secret);
    expect(all).not.toContain(registration_access_token);
  });

  it('rotates the registration access token on GET, PUT and DELETE', async () => {
    const first = await registered({ client_name: 'One' });
    const read = await manage('GET', first, first.registration_access_token);
    expect(read.status).toBe(200);
    expect(read.body).toMatchObject({
      client_id: first.client_id,
      client_secret: first.client_secret,
      client_name: 'One',
    });
    expect(read.body.registration_access_token).not.toBe(first.registration_access_token);
    expect((await manage('GET', first, first.registration_access_token)).status).toBe(401);

    const {
      registration_access_token,
      registration_client_uri,
      client_secret_expires_at,
      client_id_issued_at,
      ...metadata
    } = read.body;
    const updated = await manage('PUT', first, registration_access_token, { ...metadata, client_name: 'Two' });
    expect(updated.status).toBe(200);
    expect(updated.body).toMatchObject({ client_name: 'Two', client_secret: first.client_secret });
    expect(updated.body.registration_access_token).not.toBe(registration_access_token);
    expect((await manage('PUT', first, registration_access_token, metadata)).status).toBe(401);

    // A refused update changes nothing, and the token stays valid.
    const latest = updated.body.registration_access_token;
    expect(
      (await manage('PUT', first, latest, { ...metadata, redirect_uris: ['http://evil.example/cb'] })).status,
    ).toBe(400);

    // An update must not contain fields that only the server sets (RFC 7592 2.2), and must name its client.
    const said = { registration_access_token: latest, registration_client_uri };
    for (const [name, value] of Object.entries({ ...said, client_secret_expires_at, client_id_issued_at })) {
      const refused = await manage('PUT', first, latest, { ...metadata, [name]: value });
      expect([name, refused.status, refused.body]).toEqual([
        name,
        400,
        expect.objectContaining({ error: 'invalid_request' }),
      ]);
    }
    expect((await manage('PUT', first, latest, { ...metadata, client_id: undefined })).status).toBe(400);

    const deleted = await manage('DELETE', first, latest);
    expect([deleted.status, deleted.body]).toEqual([204, {}]);
    expect((await manage('GET', first, latest)).status).toBe(401);
    const unknown = await new UserAgent(identity.issuer).visit(
      authorizationUrl(identity.issuer, { client: { clientId: first.client_id, clientSecret: '' } }, makePkce()),
    );
    expect([unknown.status, unknown.body]).toEqual([400, expect.stringContaining('invalid_client')]);
  });

  it('does not rotate the token on HEAD, whose answer could not carry the new one', async () => {
    const first = await registered();
    const head = await manage('HEAD', first, first.registration_access_token);
    expect([head.status, head.headers.get('allow')?.split(', ')]).toEqual([405, expect.not.arrayContaining(['HEAD'])]);
    expect((await manage('GET', first, first.registration_access_token)).status).toBe(200);
  });

  it('one of 40 parallel reads with the same token succeeds, and one of 20 updates', async () => {
    const replica = (await identity.startReplica()).url;
    const record = await registered();
    const reads = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        fetch(`${index % 2 ? replica : identity.issuer}/oauth/reg/${record.client_id}`, {
          headers: { authorization: `Bearer ${record.registration_access_token}` },
        }),
      ),
    );
    expect(reads.filter(({ status }) => status === 200)).toHaveLength(1);
    expect(reads.filter(({ status }) => status === 401)).toHaveLength(39);
    const winner = (await reads.find(({ status }) => status === 200)!.json()) as Registration;
    const updates = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        manage('PUT', record, winner.registration_access_token, {
          client_id: record.client_id,
          redirect_uris: [redirectUri],
          client_name: `Name ${index}`,
        }),
      ),
    );
    const good = updates.filter(({ status }) => status === 200);
    expect(good).toHaveLength(1);
    const after = await manage('GET', record, good[0]!.body.registration_access_token);
    expect(after.body['client_name']).toBe(good[0]!.body['client_name']);
  });

  it('a token of another client is refused', async () => {
    const [one, other] = [await registered(), await registered()];
    expect((await manage('GET', one, other.registration_access_token)).status).toBe(401);
    // Presented at the wrong endpoint, it is used up.
    expect((await manage('GET', other, other.registration_access_token)).status).toBe(401);
    expect((await manage('GET', one, one.registration_access_token)).status).toBe(200);
    expect((await manage('DELETE', one, 'nonsense')).status).toBe(401);
    expect((await fetch(`${identity.issuer}/oauth/reg/${one.client_id}`)).status).toBe(401);
  });

  it.each([
    ['http://evil.example/cb', 400],
    ['https://app.example.com/cb#fragment', 400],
    ['https://user@app.example.com/cb', 400],
    ['javascript:alert(1)', 400],
    ['myapp://callback', 400],
    ['not a uri', 400],
    ['https://app.example.com/cb', 201],
    ['http://localhost:8123/cb', 201],
    ['http://127.0.0.1/cb', 201],
    ['http://[::1]:9/cb', 201],
    ['com.example.app:/cb', 201],
  ])('redirect URI %s: %i', async (uri, status) => {
    const response = await register({ redirect_uris: [uri] });
    expect(response.status).toBe(status);
    if (status === 400) expect(await response.json()).toMatchObject({ error: 'invalid_redirect_uri' });
  });

  it('compares redirect URIs exactly, except the port of a native loopback client', async () => {
    const web = await registered();
    const native = await registered({ redirect_uris: ['http://127.0.0.1/cb'], application_type: 'native' });
    const ask = (record: Registration, uri: string) =>
      new UserAgent(identity.issuer).visit(
        authorizationUrl(
          identity.issuer,
          { client: { clientId: record.client_id, clientSecret: '', redirectUri: uri } },
          makePkce(),
        ),
      );
    for (const uri of [
      `${redirectUri}/`,
      `${redirectUri}?x=1`,
      'https://app.example.com',
      'https://APP.example.com/Callback',
    ]) {
      const page = await ask(web, uri);
      expect([page.status, page.headers.get('location')]).toEqual([400, null]);
    }
    expect((await ask(native, 'http://127.0.0.1:51234/cb')).status).toBe(200);
    expect((await ask(native, 'http://127.0.0.1:51234/other')).status).toBe(400);
  });

  it('a native client gets no code without a person at the screen (RFC 8252 8.6)', async () => {
    const user = await identity.createUser();
    const record = await registered({ redirect_uris: ['com.example.app:/cb'] });
    expect(record).toMatchObject({ application_type: 'native' });
    const client = {
      clientId: record.client_id,
      clientSecret: record.client_secret,
      redirectUri: 'com.example.app:/cb',
    };
    const { agent } = await obtainTokens(identity.issuer, { client, email: user.email, password });
    const again = await agent.visit(authorizationUrl(identity.issuer, { client }, makePkce()));
    expect(again.body).toContain('/confirm"');
    const silent = await agent.visit(
      authorizationUrl(identity.issuer, { client, parameters: { prompt: 'none' } }, makePkce()),
    );
    expect(silent.headers.get('location')).toMatch(/^com\.example\.app:\/cb\?error=interaction_required&/);
  });

  it('an introspecting client cannot be registered', async () => {
    const response = await register({ redirect_uris: [redirectUri], introspects_audience: identity.issuer });
    expect([response.status, await response.json()]).toEqual([
      400,
      expect.objectContaining({ error: 'invalid_client_metadata' }),
    ]);
  });

  it.each(['\u202eknaB ruoY', 'a\u2066b', 'a\u0000b', 'two\nlines'])(
    'refuses the name %j, which would change the sentence around it on the consent page',
    async (name) => {
      const response = await register({ redirect_uris: [redirectUri], client_name: name });
      expect([response.status, await response.json()]).toEqual([
        400,
        expect.objectContaining({ error: 'invalid_client_metadata' }),
      ]);
      const first = await registered({ client_name: 'שלום 🚀' });
      const { client_id, client_name } = first;
      expect(client_name).toBe('שלום 🚀');
      const update = { client_id, redirect_uris: [redirectUri], client_name: name };
      expect((await manage('PUT', first, first.registration_access_token, update)).status).toBe(400);
    },
  );

  it('has a body limit, and answers malformed JSON in OAuth form', async () => {
    const huge = await register({ redirect_uris: [redirectUri], client_name: 'x'.repeat(30_000) });
    expect([huge.status, await huge.json()]).toEqual([413, expect.objectContaining({ error: 'invalid_request' })]);
    const broken = await register('{"redirect_uris": [');
    expect([broken.status, await broken.json()]).toEqual([400, expect.objectContaining({ error: 'invalid_request' })]);
    const list = await register('[]');
    expect(list.status).toBe(400);
  });

  it('refuses metadata that is nested too deep', async () => {
    for (const levels of [101, 2_000]) {
      const deep = '{"a":'.repeat(levels) + '1' + '}'.repeat(levels);
      for (const body of [deep, `{"redirect_uris":["${redirectUri}"],"extra":${deep}}`, `{"jwks":${deep}}`]) {
        const response = await register(body);
        expect([response.status, await response.json()]).toEqual([
          400,
          { error: 'invalid_request', error_description: 'body must not be nested in more than 100 levels' },
        ]);
      }
    }
  });

  it('reads compressed metadata up to the same limit, and refuses unknown encodings', async () => {
    const send = (body: Buffer, headers: Record<string, string>) =>
      fetch(`${identity.issuer}/oauth/reg`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: body as BodyInit,
      });
    const metadata = JSON.stringify({ redirect_uris: [redirectUri] });
    expect((await send(gzipSync(metadata), { 'content-encoding': 'gzip' })).status).toBe(201);
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024, ' '));
    const tooLarge = await send(bomb.subarray(0, 20_000), { 'content-encoding': 'gzip' });
    expect([tooLarge.status, await tooLarge.json()]).toEqual([
      413,
      expect.objectContaining({ error: 'invalid_request' }),
    ]);
    expect((await send(Buffer.from(metadata), { 'content-encoding': 'gzip' })).status).toBe(400);
    const unknown = await send(Buffer.from(metadata), { 'content-encoding': 'zstd' });
    expect([unknown.status, unknown.headers.get('accept-encoding')]).toEqual([415, 'gzip, deflate, br']);
    expect((await send(Buffer.from(metadata), { 'content-type': 'application/json; charset=foo' })).status).toBe(415);
  });

  it('lets browser clients of any origin register', async () => {
    const preflight = await fetch(`${identity.issuer}/oauth/reg`, {
      method: 'OPTIONS',
      headers: {
        origin: 'https://inspector.example',
        'access-control-request-method': 'POST',
        'access-control-request-headers': 'content-type,mcp-protocol-version',
      },
    });
    expect(preflight.status).toBe(204);
    expect(preflight.headers.get('access-control-allow-origin')).toBe('https://inspector.example');
    expect(preflight.headers.get('access-control-allow-headers')).toContain('mcp-protocol-version');
    const response = await register({ redirect_uris: [redirectUri] }, identity.issuer, {
      origin: 'https://inspector.example',
    });
    expect(response.headers.get('access-control-allow-origin')).toBe('https://inspector.example');
  });

  it('removes clients that never received a token, and keeps those that did', async () => {
    const user = await identity.createUser();
    const [unused, used] = [await registered(), await registered()];
    const client = { clientId: used.client_id, clientSecret: used.client_secret };
    const { access_token } = await obtainTokens(identity.issuer, { client, email: user.email, password });
    const operators = await identity.createClient();
    const database = new pg.Client({ connectionString: identity.databaseUrl });
    await database.connect();
    await database.query(`update identity.oauth_client set created_at = now() - interval '31 days'`);
    // Every replica deletes once when it starts.
    await identity.startReplica();
    const clients = async () => {
      const { rows } = await database.query<{ client_id: string }>('select client_id from identity.oauth_client');
      return rows.map(({ client_id }) => client_id);
    };
    const deadline = Date.now() + 20_000;
    while ((await clients()).includes(unused.client_id) && Date.now() < deadline) await delay(50);
    const left = await clients();
    await database.end();
    expect(left).toContain(used.client_id);
    expect(left).toContain(operators.clientId);
    expect(left).not.toContain(unused.client_id);
    expect((await userinfo(identity.issuer, access_token)).status).toBe(200);
  });
});

describe('registration by settings', () => {
  it('off: every path is 404 and discovery does not mention it', async () => {
    const identity = await startIdentity({ OAUTH_DYNAMIC_REGISTRATION: 'false' });
    try {
      for (const [method, path] of [
        ['POST', '/oauth/reg'],
        ['GET', '/oauth/reg/x'],
        ['PUT', '/oauth/reg/x'],
        ['DELETE', '/oauth/reg/x'],
      ]) {
        const response = await fetch(identity.issuer + path, { method: method as string });
        expect([response.status, await response.json()]).toEqual([404, expect.objectContaining({ statusCode: 404 })]);
      }
      for (const name of ['openid-configuration', 'oauth-authorization-server']) {
        const document = (await (await fetch(`${identity.issuer}/.well-known/${name}`)).json()) as object;
        expect(document).not.toHaveProperty('registration_endpoint');
      }
      const listing = (await (await fetch(identity.issuer)).json()) as { endpoints: object };
      expect(listing.endpoints).not.toHaveProperty('registration');
    } finally {
      await identity.close();
    }
  });

  it('asks for an initial access token, and limits registrations per network', async () => {
    const identity = await startIdentity({
      REGISTRATION_INITIAL_TOKEN: 'initial',
      REGISTRATIONS_PER_IP_PER_HOUR: '3',
      TRUST_PROXY: 'true',
    });
    let sent = 0;
    const register = (token?: string) =>
      fetch(`${identity.issuer}/oauth/reg`, {
        method: 'POST',
        headers: {
          'content-type': 'application/json',
          // Another address of the same IPv6 /64 each time.
          'x-forwarded-for': `2001:db8:1:1::${(sent += 1)}`,
          ...(token ? { authorization: `Bearer ${token}` } : {}),
        },
        body: JSON.stringify({ redirect_uris: [redirectUri] }),
      });
    try {
      expect((await register()).status).toBe(401);
      expect((await register('wrong')).status).toBe(401);
      expect((await register('initial')).status).toBe(201);
      const limited = await register('initial');
      expect(limited.status).toBe(429);
      expect(Number(limited.headers.get('retry-after'))).toBeGreaterThan(3000);
      expect(await limited.json()).toMatchObject({ error: 'temporarily_unavailable' });
    } finally {
      await identity.close();
    }
  });
});
