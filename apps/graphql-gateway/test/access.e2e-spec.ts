/* eslint-disable @typescript-eslint/no-unsafe-assignment --
   answers are JSON of any shape, and the assertions judge them */
// Who may do what: every route and every field of both schemas against every kind of caller. A route or a field without
// a row fails the build.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { operatorCommands } from '@tradewind/service-kit';
import { accessFaults, commandFaults, tableHashes, type Caller, type Operation } from '@tradewind/testkit';
import { generateApiKey } from '../src/api-keys/api-key-format.js';
import { ApiKeysService } from '../src/api-keys/api-keys.service.js';
import { service } from '../src/service.js';
import { startGateway, type TestGateway } from './support/gateway.js';

/** `nobody` sends no Authorization header, `unknown` a credential that is not good here or is good no longer. */
type Group = 'nobody' | 'unknown' | 'key' | 'loggedIn';

const byKey: Record<Group, number> = { nobody: 401, unknown: 401, loggedIn: 401, key: 200 };
const byLogin: Record<Group, number> = { nobody: 401, unknown: 401, key: 401, loggedIn: 200 };

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
const byGetAlone = (others: number): Record<Group, number> => ({
  nobody: 400,
  unknown: others,
  key: others,
  loggedIn: others,
});

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

const operations: Record<string, Operation<Group>> = {
  'GET /health': { answers: 200 },
  'GET /ready': { answers: 200 },
  'GET /explorer': { answers: 200 },
  'GET /explorer/examples.json': { answers: 200 },
  'GET /explorer/:name': { path: '/explorer/explorer-page.js', answers: 200 },
  ...Object.fromEntries(Object.keys(fields).flatMap(operationsOf)),
};

describe('access', () => {
  let gateway: TestGateway;
  let callers: Record<string, Caller<Group>>;

  beforeAll(async () => {
    gateway = await startGateway({ KEY_CACHE_MS: '0', REFUSED_KEYS_PER_MINUTE: '100000' });
    const { identity } = gateway;
    const { key, user } = await gateway.newKey();
    const [revoked, expired, ended] = [await gateway.newKey(), await gateway.newKey(), await gateway.newKey()];
    const keys = gateway.replicas[0]!.app.get(ApiKeysService);
    const [stored] = await keys.list({ user: revoked.user.email });
    await keys.revoke(stored!);
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
    callers = {
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
      'an OAuth access token for the data resource': bearer(
        'unknown',
        identity.token(user, { token_use: undefined, aud: 'urn:tradewind:data' }, { typ: 'at+jwt' }),
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
    // Refused keys are audited, and requests of a minute are counted, whatever the answer is. The first audited refusal
    // of a month makes the table of the month, so the tables are listed each time.
    const state = async () => {
      const { rows } = await gateway.sql.query<{ name: string }>(
        `select relname as name from pg_class where relname like 'api_key_audit%' or relname = 'request_window'`,
      );
      return tableHashes(
        gateway.database.url,
        rows.map(({ name }) => name),
      );
    };
    expect(await accessFaults({ running, operations, callers, state })).toEqual([]);
  }, 90_000);

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
