// Each fault that the access tests look for is planted in a small server, and must be found.
import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { accessFaults, type Operation } from './access-table.js';

type Group = 'owner' | 'stranger';

interface Reply {
  status: number;
  text?: string;
}

const unauthorized = { status: 401, text: '{"message":"Unauthorized","error":"Unauthorized","statusCode":401}' };
const notFound = { status: 404, text: '{"message":"Not Found","error":"Not Found","statusCode":404}' };
const routes = ['GET /things/:id', 'POST /things/:id', 'GET /open'];
const operations: Record<string, Operation<Group>> = {
  'GET /things/:id': {
    path: '/things/known',
    unknown: { path: '/things/other' },
    answers: { owner: 200, stranger: 401 },
  },
  'POST /things/:id': { path: '/things/known', body: {}, answers: { owner: 200, stranger: 401 } },
  'GET /open': { answers: 200, mayChange: 'visits' },
};
const callers = {
  'the owner': { group: 'owner', headers: () => ({ authorization: 'Bearer owner' }) },
  nobody: { group: 'stranger' },
  'another user': { group: 'stranger', headers: () => ({ authorization: 'Bearer other' }) },
} as const;

let tables: Record<string, number>;
/** What the test plants: an answer in place of the right one, or undefined. */
let planted: (request: IncomingMessage, isOwner: boolean) => Reply | undefined;
let plantedInMetrics: (request: IncomingMessage) => Reply | undefined;

function answerOf(request: IncomingMessage): Reply {
  const { method, url } = request;
  const isOwner = request.headers.authorization === 'Bearer owner';
  const reply = planted(request, isOwner);
  if (reply) return reply;
  if (method === 'OPTIONS') return { status: 204 };
  if (url?.startsWith('/open')) return { status: 200 };
  if (!url?.startsWith('/things/')) return notFound;
  return isOwner ? { status: 200, text: '{}' } : unauthorized;
}

function metricsAnswerOf(request: IncomingMessage): Reply {
  const isRead = request.method === 'GET' || request.method === 'HEAD';
  return plantedInMetrics(request) ?? (isRead && request.url === '/metrics' ? { status: 200 } : notFound);
}

async function listening(answer: (request: IncomingMessage) => Reply): Promise<Server> {
  const server = createServer((request, response) => {
    const { status, text } = answer(request);
    request.resume();
    response.writeHead(status).end(text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}
const urlOf = (server: Server) => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

let [service, metrics]: Server[] = [];
beforeAll(async () => {
  [service, metrics] = await Promise.all([listening(answerOf), listening(metricsAnswerOf)]);
});
afterAll(() => [service, metrics].forEach((server) => server?.close()));
beforeEach(() => {
  tables = { things: 0, visits: 0 };
  planted = plantedInMetrics = () => undefined;
});

const faults = (changes: { operations?: typeof operations; routes?: string[] } = {}) =>
  accessFaults<Group>({
    ...{ operations, callers, ...changes },
    running: { url: urlOf(service!), metricsUrl: `${urlOf(metrics!)}/metrics`, routes: changes.routes ?? routes },
    state: async () => ({ ...tables }),
  });

it('finds nothing in a sound server', async () => {
  expect(await faults()).toEqual([]);
});

const isCall = ({ method, url }: IncomingMessage, wanted: string) => `${method} ${url}` === wanted;

it.each<[string, typeof planted, (string | RegExp)[]]>([
  [
    'a caller who is let through',
    (request) => {
      const isOther = request.headers.authorization === 'Bearer other';
      return isOther && isCall(request, 'GET /things/known') ? { status: 200, text: '{}' } : undefined;
    },
    ['GET /things/:id, another user: 200, not 401: {}', /another user: reveals whether it exists: 200 \{\}, but 401/],
  ],
  [
    'a caller who is refused without a reason',
    (request, isOwner) => (isOwner && isCall(request, 'POST /things/known') ? unauthorized : undefined),
    [/^POST \/things\/:id, the owner: 401, not 200/],
  ],
  [
    'a failure in place of a refusal',
    (request, isOwner) => (isOwner || !isCall(request, 'POST /things/known') ? undefined : { status: 500, text: 'x' }),
    ['POST /things/:id, nobody, another user: 500, not 401: x'],
  ],
  [
    'a refused call that changes a table',
    (request, isOwner) => void (!isOwner && isCall(request, 'POST /things/known') && (tables['things']! += 1)),
    ['POST /things/:id, things: changed by refused calls'],
  ],
  [
    'a refused call that makes a table',
    (request, isOwner) => void (!isOwner && isCall(request, 'POST /things/known') && (tables['new'] = 1)),
    ['POST /things/:id, new: changed by refused calls'],
  ],
  [
    'a refusal that shows that a thing exists',
    (request, isOwner) => (!isOwner && isCall(request, 'GET /things/other') ? notFound : undefined),
    [/^GET \/things\/:id, nobody, another user: reveals whether it exists: 401 .*, but 404/],
  ],
  [
    'a refusal that shows the inside',
    (request, isOwner) =>
      isOwner || !isCall(request, 'POST /things/known') ? undefined : { status: 401, text: 'at run (main.js:1:2)' },
    ['POST /things/:id, nobody, another user: the refusal reads at run (main.js:1:2)'],
  ],
  [
    'OPTIONS that answers with a body',
    (request) => (isCall(request, 'OPTIONS /things/known') ? { status: 200, text: 'GET' } : undefined),
    [
      'OPTIONS /things/:id, the owner: 200, not 204',
      'OPTIONS /things/:id, the owner: GET',
      'OPTIONS /things/:id, nobody: 200, not 204',
      'OPTIONS /things/:id, nobody: GET',
    ],
  ],
  [
    'HEAD that lets a caller through',
    (request) => (isCall(request, 'HEAD /things/known') ? { status: 200 } : undefined),
    ['HEAD /things/:id, nobody: 200, not 401,405'],
  ],
  [
    'a refused HEAD that changes a table',
    (request) => void (isCall(request, 'HEAD /things/known') && (tables['things']! += 1)),
    ['things is changed by OPTIONS or by a refused HEAD'],
  ],
  [
    'metrics on the port of the service',
    (request) => (isCall(request, 'GET /metrics') ? { status: 200 } : undefined),
    [/\/metrics, the owner: 200, not 404$/, /\/metrics, nobody: 200, not 404$/],
  ],
])('finds %s', async (_what, plant, expected) => {
  planted = plant;
  const found = await faults();
  expect(found).toEqual(
    expected.map((fault) => (typeof fault === 'string' ? fault : (expect.stringMatching(fault) as unknown))),
  );
});

it.each<[string, typeof plantedInMetrics, RegExp]>([
  [
    'a route of the service on the port of the metrics',
    ({ url }) => replyTo(url === '/open'),
    /^GET .+\/open, .+: 200/,
  ],
  [
    'metrics that can be written',
    ({ method }) => replyTo(method === 'DELETE'),
    /^DELETE .+\/metrics, .+: 200, not 404/,
  ],
])('finds %s', async (_what, plant, expected) => {
  plantedInMetrics = plant;
  const found = await faults();
  expect(found).toHaveLength(2);
  for (const fault of found) expect(fault).toMatch(expected);
});
const replyTo = (isPlanted: boolean) => (isPlanted ? { status: 200 } : undefined);

it('finds a route without a row, and a row without a route', async () => {
  expect(await faults({ routes: [...routes, 'PUT /new'] })).toEqual(['PUT /new has no row']);
  expect(await faults({ routes: routes.slice(0, 2) })).toEqual(['GET /open is not served']);
});

it('finds what an answer shows to a group that may not find out', async () => {
  const hidden = { answers: 200, hiddenFrom: ['stranger'], unknown: { path: '/open?other' } } as const;
  const changed = { ...operations, 'GET /open': hidden };
  expect(await faults({ operations: changed })).toEqual([]);
  planted = ({ url }, isOwner) => (!isOwner && url === '/open?other' ? { status: 200, text: 'none' } : undefined);
  expect(await faults({ operations: changed })).toEqual([
    'GET /open, nobody, another user: reveals whether it exists: 200 , but 200 none',
  ]);
});

it('allows the table that a row names, and no other', async () => {
  const operationsWith = (mayChange: string) => ({
    ...operations,
    'POST /things/:id': { ...operations['POST /things/:id']!, mayChange },
  });
  planted = (request, isOwner) => void (!isOwner && isCall(request, 'POST /things/known') && (tables['visits']! += 1));
  expect(await faults({ operations: operationsWith('visits') })).toEqual([]);
  expect(await faults({ operations: operationsWith('things') })).toEqual([
    'POST /things/:id, visits: changed by refused calls',
  ]);
});
