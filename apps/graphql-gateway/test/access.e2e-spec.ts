/* eslint-disable @typescript-eslint/no-unsafe-assignment --
   answers are JSON of any shape, and the assertions judge them */
// Who may do what: every route and every field of both schemas against every kind of caller. A route or a field without
// a row fails the build.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { byOperator, operatorCommands, serviceTokenEntry } from '@tradewind/service-kit';
import {
  accessFaults,
  commandFaults,
  DpopKey,
  openRoutes,
  tableHashes,
  type Caller,
  type Operation,
} from '@tradewind/testkit';
import { generateApiKey } from '../src/api-keys/api-key-format.js';
import { ApiKeysService } from '../src/api-keys/api-keys.service.js';
import { service } from '../src/service.js';
import { startGateway, type TestGateway } from './support/gateway.js';

/**
 * `nobody` sends no Authorization header, `unknown` a credential that is not good here or is good no longer. Those from
 * `owner` on have an access token for the data resource or a service token. They are the owner of the key, another
 * user, and administrators and machines: of all companies, of acme (which has the key), and of globex.
 */
const groups = [
  'nobody',
  'unknown',
  'key',
  'loggedIn',
  'owner',
  'otherUser',
  'admin',
  'machine',
  'adminOfAcme',
  'machineOfAcme',
  'adminOfGlobex',
  'machineOfGlobex',
  'otherMachine',
] as const;
type Group = (typeof groups)[number];

const answersTo = (others: number, named: Partial<Record<Group, number>>): Record<Group, number> => ({
  // The list has every group.
  ...(Object.fromEntries(groups.map((group) => [group, others])) as Record<Group, number>),
  ...named,
});
const byKey = answersTo(401, { key: 200 });
const byLogin = answersTo(401, { loggedIn: 200 });
const users = ['owner', 'otherUser', 'admin', 'adminOfAcme', 'adminOfGlobex'] as const;
const machines = ['machine', 'machineOfAcme', 'machineOfGlobex', 'otherMachine'] as const;
const all = (names: readonly Group[], status: number) => Object.fromEntries(names.map((name) => [name, status]));
/** What every user may ask about himself. */
const byUser = answersTo(401, { ...all(users, 200), ...all(machines, 403) });
/** Of another user the key does not exist. */
const ofOwner = answersTo(401, { ...all(users, 404), ...all(machines, 403), owner: 200 });
const byAdministrator = answersTo(401, {
  ...all(['owner', 'otherUser', 'otherMachine'], 403),
  ...all(['admin', 'machine', 'adminOfAcme', 'machineOfAcme', 'adminOfGlobex', 'machineOfGlobex'], 200),
});
const ofCompany = { ...byAdministrator, adminOfGlobex: 404, machineOfGlobex: 404 };

const logIn = (email: string) =>
  `mutation { authenticateUser(input: {email: "${email}", password: "a wrong password"}) { token } }`;
const connection = (name: string) => `{ ${name} { edges { cursor } } }`;

/** A document for each field, and what it answers; `query` and `mutation` also name the fields that GraphQL adds. */
const fields: Record<
  string,
  Record<string, { document: string; unknown?: string; answers: Operation<Group>['answers'] }>
> = {
  '/graphql': {
    companiesConnection: { document: connection('companiesConnection'), answers: byKey },
    personsConnection: { document: connection('personsConnection'), answers: byKey },
    dealsConnection: { document: connection('dealsConnection'), answers: byKey },
    contactsConnection: { document: connection('contactsConnection'), answers: byKey },
    __schema: { document: '{ __schema { queryType { name } } }', answers: byKey },
    __type: { document: '{ __type(name: "Query") { name } }', answers: byKey },
    __typename: { document: '{ __typename }', answers: byKey },
  },
  '/auth/graphql': {
    authenticateUser: {
      document: logIn('somebody@example.com'),
      unknown: logIn('nobody@example.com'),
      answers: 401,
    },
    createApiKey: { document: 'mutation { createApiKey(input: {name: "k"}) }', answers: byLogin },
    dataEndpoint: { document: '{ dataEndpoint }', answers: 200 },
    __schema: { document: '{ __schema { queryType { name } } }', answers: 200 },
    __type: { document: '{ __type(name: "Query") { name } }', answers: 200 },
    __typename: { document: '{ __typename }', answers: 200 },
  },
};

/** A page of another site can send a GET without any header, so that is refused. */
const byGetAlone = (others: number): Record<Group, number> => answersTo(others, { nobody: 400 });

/** Each field is asked by POST and by GET; a mutation by GET is refused for its method. */
function operationsOf(path: string): [string, Operation<Group>][] {
  return Object.entries(fields[path]!).flatMap(([name, { document, unknown, answers }]) => {
    const isMutation = document.startsWith('mutation');
    const byGet = (query: string) => ({ path: `${path}?${new URLSearchParams({ query }).toString()}` });
    return [
      [
        `POST ${path} ${name}`,
        { body: { query: document }, ...(unknown && { unknown: { body: { query: unknown } } }), answers },
      ],
      [
        `GET ${path} ${name}`,
        {
          ...byGet(document),
          ...(unknown && { unknown: byGet(unknown) }),
          answers: isMutation ? byGetAlone(405) : typeof answers === 'number' ? byGetAlone(answers) : answers,
        },
      ],
    ] satisfies [string, Operation<Group>][];
  });
}

const unknownId = '5f0c1b6e-9d3a-4c52-8a80-2f6e0f4f7a11';

/** @param keyId the key that is asked for, @param ready makes it active again */
const restOperations = (keyId: string, ready: () => Promise<unknown>): Record<string, Operation<Group>> => {
  const of = (begin: string, end = '') => ({
    path: `${begin}/${keyId}${end}`,
    unknown: { path: `${begin}/${unknownId}${end}` },
  });
  return {
    'GET /usage': { answers: byUser },
    'GET /usage/days': { answers: byUser },
    'GET /names': { path: '/names?of=country&text=swi', answers: byUser },
    'GET /keys': { answers: byUser },
    'POST /keys': { body: { name: 'k' }, answers: byUser },
    'GET /keys/:id': { ...of('/keys'), answers: ofOwner },
    'GET /keys/:id/audit': { ...of('/keys', '/audit'), answers: ofOwner },
    'POST /keys/:id/rotate': { ...of('/keys', '/rotate'), ready, answers: ofOwner },
    'POST /keys/:id/revoke': { ...of('/keys', '/revoke'), ready, answers: ofOwner },
    'GET /admin/keys': { answers: byAdministrator },
    'GET /admin/keys/:id': { ...of('/admin/keys'), answers: ofCompany },
    'GET /admin/keys/:id/audit': { ...of('/admin/keys', '/audit'), answers: ofCompany },
    'POST /admin/keys/:id/revoke': { ...of('/admin/keys', '/revoke'), ready, answers: ofCompany },
    'GET /admin/usage': { answers: byAdministrator },
    'GET /admin/usage/days': { answers: byAdministrator },
  };
};

const operations: Record<string, Operation<Group>> = {
  // The same for everybody, as in the pipelines.
  ...(openRoutes as Record<string, Operation<Group>>),
  'GET /explorer': { answers: 200 },
  'GET /explorer/examples.json': { answers: 200 },
  'GET /explorer/schema.json': { answers: 200 },
  'GET /explorer/:name': { path: '/explorer/explorer-page.js', answers: 200 },
  ...Object.fromEntries(Object.keys(fields).flatMap(operationsOf)),
};

describe('access', () => {
  let gateway: TestGateway;
  let callers: Record<string, Caller<Group>>;
  let rest: Record<string, Operation<Group>>;

  beforeAll(async () => {
    gateway = await startGateway({
      KEY_CACHE_MS: '0',
      REFUSED_KEYS_PER_MINUTE: '100000',
      SERVICE_TOKENS: [
        serviceTokenEntry('token-of-a-machine', { name: 'machine', services: ['graphql-gateway'] }),
        serviceTokenEntry('token-of-acme', { name: 'acme', services: ['graphql-gateway'], companyId: 'acme' }),
        serviceTokenEntry('token-of-globex', { name: 'globex', services: ['graphql-gateway'], companyId: 'globex' }),
        serviceTokenEntry('token-for-others', { name: 'others', services: ['interactions'] }),
      ].join(','),
    });
    const { identity } = gateway;
    const { key, user } = await gateway.newKey();
    const [revoked, expired, ended] = [await gateway.newKey(), await gateway.newKey(), await gateway.newKey()];
    const keys = gateway.replicas[0]!.app.get(ApiKeysService);
    const [stored] = await keys.list({ user: revoked.user.email });
    await keys.revoke(stored!, byOperator);
    await gateway.sql.query('update api_key set expires_at = now() where user_id = $1', [expired.user.id]);
    const endedJwt = identity.token(ended.user);
    // As after disabling the user.
    identity.endCredentials(ended.user);
    await untilRefused(ended.key);
    identity.users.push({ id: user.id, email: 'somebody@example.com', password: 'another password' });
    const bearer = (group: Group, token: string): Caller<Group> => ({
      group,
      headers: () => ({ authorization: `Bearer ${token}` }),
    });
    const owner = identity.addUser();
    const made = await keys.create(
      { ...owner, companyId: 'acme', credentialsVersion: 1 },
      { name: 'owned', expiresInDays: 30 },
      byOperator,
      null,
    );
    rest = restOperations(made.id, () =>
      gateway.sql.query('update api_key set revoked_at = null where id = $1', [made.id]),
    );
    const [dpop, otherDpop] = [new DpopKey(), new DpopKey()];
    const bound = identity.dataToken(owner, { cnf: { jkt: dpop.thumbprint } });
    const withProof = (group: Group, by: DpopKey): Caller<Group> => ({
      group,
      headers: (request) => ({ authorization: `DPoP ${bound}`, dpop: by.proof(request, bound) }),
    });
    const dataToken = (claims: Record<string, unknown>) => identity.dataToken(identity.addUser(), claims);
    const admin = (company?: string) =>
      dataToken({ userRole: 'ADMIN', ...(company === undefined ? {} : { user_company_id: company }) });
    const revokedToken = identity.dataToken(owner);
    identity.revokedTokens.add(revokedToken);
    callers = {
      'the owner of the key': bearer('owner', identity.dataToken(owner, { user_company_id: 'acme' })),
      'the owner, with a bound token and its proof': withProof('owner', dpop),
      'the owner, with the proof of another key': withProof('unknown', otherDpop),
      'the owner, with a bound token alone': bearer('unknown', bound),
      'the owner, with a token that was revoked': bearer('unknown', revokedToken),
      'another user': bearer('otherUser', dataToken({})),
      'an analyst of the company': bearer('otherUser', dataToken({ userRole: 'ANALYST', user_company_id: 'acme' })),
      'an admin': bearer('admin', admin()),
      'an admin of the company': bearer('adminOfAcme', admin('acme')),
      'an admin of another company': bearer('adminOfGlobex', admin('globex')),
      'a machine': bearer('machine', 'token-of-a-machine'),
      'a machine of the company': bearer('machineOfAcme', 'token-of-acme'),
      'a machine of another company': bearer('machineOfGlobex', 'token-of-globex'),
      'a service token for other services': bearer('otherMachine', 'token-for-others'),
      'an access token for the pipelines': bearer('unknown', dataToken({ aud: 'urn:tradewind:pipelines' })),
      'an access token for identity': bearer('unknown', dataToken({ aud: 'urn:tradewind:identity' })),
      'an expired access token': bearer('unknown', dataToken({ exp: Math.floor(Date.now() / 1000) - 60 })),
      'an access token of nobody': bearer('unknown', dataToken({ sub: 'x' })),
      'a direct-login JWT for the data resource': bearer(
        'unknown',
        identity.token(owner, { aud: 'urn:tradewind:data' }),
      ),
      nobody: { group: 'nobody' },
      'a name and a password': { group: 'unknown', headers: () => ({ authorization: 'Basic YTpi' }) },
      'an empty token': { group: 'unknown', headers: () => ({ authorization: 'Bearer ' }) },
      'a key without its scheme': { group: 'unknown', headers: () => ({ authorization: key }) },
      'no token at all': bearer('unknown', 'not-a-token'),
      'a service token': bearer('unknown', 'service-token-of-the-gateway'),
      'an invented key with a right checksum': bearer('unknown', generateApiKey()),
      'a malformed key': bearer('unknown', 'svc_malformed'),
      'a revoked key': bearer('unknown', revoked.key),
      'an expired key': bearer('unknown', expired.key),
      'a key of a disabled user': bearer('unknown', ended.key),
      'a JWT of a disabled user': bearer('unknown', endedJwt),
      'an expired JWT': bearer('unknown', identity.token(user, { exp: Math.floor(Date.now() / 1000) - 60 })),
      'a JWT of another issuer': bearer('unknown', identity.token(user, { iss: 'https://elsewhere.example.com' })),
      'a JWT for another audience': bearer('unknown', identity.token(user, { aud: 'https://elsewhere.example.com' })),
      'an OAuth access token': bearer(
        'unknown',
        identity.token(user, { token_use: undefined, client_id: 'c', scope: 'openid' }, { typ: 'at+jwt' }),
      ),
      'an ID token': bearer('unknown', identity.token(user, { token_use: undefined })),
      'a forged JWT': bearer('unknown', identity.forgedToken(user)),
      'an unsigned JWT': bearer(
        'unknown',
        `${identity.token(user, {}, { alg: 'none' }).split('.').slice(0, 2).join('.')}.`,
      ),
      'a good key': bearer('key', key),
      'a good JWT': bearer('loggedIn', identity.token(user)),
    };
  });
  afterAll(() => gateway.close());

  async function untilRefused(key: string): Promise<void> {
    const endMs = performance.now() + 20_000;
    while ((await gateway.data(key, '{ __typename }')).status !== 401) {
      if (performance.now() > endMs) throw new Error('the key of a disabled user is still accepted');
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** The routes that are served; those of GraphQL once for each field of the schema. */
  async function servedRoutes(): Promise<string[]> {
    const query = '{ __schema { queryType { fields { name } } mutationType { fields { name } } } }';
    interface Type {
      fields: { name: string }[];
    }
    const namesAt = async (path: string) => {
      const { body } =
        path === '/graphql'
          ? await gateway.data(
              callers['a good key']!.headers!({ method: '', url: '' })['authorization']!.slice(7),
              query,
            )
          : await gateway.auth(null, query);
      const { queryType, mutationType } = (body as { data: { __schema: { queryType: Type; mutationType?: Type } } })
        .data.__schema;
      return [...queryType.fields, ...(mutationType?.fields ?? [])].map(({ name }) => name);
    };
    const served = gateway.replicas[0]!.routes.map(async (route) => {
      const [, path = ''] = route.split(' ');
      if (!(path in fields)) return [route];
      return [...(await namesAt(path)), '__schema', '__type', '__typename'].map((name) => `${route} ${name}`);
    });
    return (await Promise.all(served)).flat();
  }

  it('every route and field answers every caller as the table says', async () => {
    const { url, metricsUrl } = gateway.replicas[0]!;
    const running = { url, metricsUrl, routes: await servedRoutes() };
    const rows = { ...operations, ...rest };
    // Refused keys are audited, and requests of a minute are counted, whatever the answer is. The first audited refusal
    // of a month makes the table of the month, so the tables are listed each time.
    const state = async () => {
      const { rows } = await gateway.sql.query<{ name: string }>(
        `select relname as name from pg_class where relname like 'api_key_audit%' or relname = 'request_window'`,
      );
      const others = await tableHashes(gateway.database.url, ['api_key', ...rows.map(({ name }) => name)]);
      // When a key was used is written some seconds later.
      const { rows: keys } = await gateway.sql.query<{ key: string }>(
        `select (to_jsonb(k) - 'last_used_at')::text as key from api_key k order by id`,
      );
      return { ...others, keys };
    };
    expect(await accessFaults({ running, operations: rows, callers, state })).toEqual([]);
  }, 240_000);

  it('a refusal says what is missing, and of a credential only that it is not valid', async () => {
    const refusals: [string, string | null, RegExp][] = [
      ['/graphql', null, /^Authorization header is missing/],
      ['/graphql', generateApiKey(), /^Invalid API key$/],
      ['/auth/graphql', null, /^Authorization header is missing/],
      ['/auth/graphql', 'x', /^Invalid token/],
    ];
    for (const [path, credential, message] of refusals) {
      const { status, body } =
        path === '/graphql'
          ? await gateway.data(credential, fields[path]!['__typename']!.document)
          : await gateway.auth(credential, fields[path]!['createApiKey']!.document);
      expect([status, body]).toEqual([
        401,
        { message: expect.stringMatching(message), error: 'Unauthorized', statusCode: 401 },
      ]);
    }
  });

  it('no operator command runs without the settings, or with a wrong password of the database', async () => {
    const faults = await commandFaults({
      commands: (env) => operatorCommands(service, env),
      databaseUrl: gateway.database.url,
      settings: ['ENVIRONMENT', 'DATABASE_URL', 'OAUTH_ISSUER', 'SERVICE_TOKEN'],
      argumentsOf: {
        serve: [],
        migrate: [],
        'key list': [],
        'key show': ['some-key'],
        'key revoke': ['some-key'],
        'key audit': ['some-key'],
        'index build': [],
        'index follow': [],
        'index check': ['--sample', '10'],
      },
    });
    expect(faults).toEqual([]);
  });
});
