// Serves the pages of the console, and the addresses of the services. It knows no user and holds no secret: all
// rights come from the token of the person at the browser.
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { ConsoleSettings } from './console-settings.js';
import { readWebFiles, webFile, type WebFile } from './web-files.js';

const twoYearsSeconds = 63_072_000;
const yearSeconds = 31_536_000;

/** @param folder of the built pages */
export function createConsoleServer(settings: ConsoleSettings, folder: string): Server {
  const files = readWebFiles(folder);
  files.set('/settings.json', jsonFile(pageSettings(settings)));
  files.set('/health', jsonFile({ status: 'healthy', service: 'console', environment: settings.ENVIRONMENT }));
  files.set('/ready', jsonFile({ status: 'ready', service: 'console', dependencies: {} }));
  const headers = securityHeaders(settings);
  const server = createServer((request, response) => {
    for (const [name, value] of Object.entries(headers)) response.setHeader(name, value);
    answer(request, response, files);
  });
  // Nobody sends a body; a client that never finishes its headers must not hold a connection.
  server.headersTimeout = 20_000;
  server.requestTimeout = 30_000;
  return server;
}

function answer(request: IncomingMessage, response: ServerResponse, files: Map<string, WebFile>): void {
  if (request.method !== 'GET' && request.method !== 'HEAD') {
    response.setHeader('allow', 'GET, HEAD');
    return end(response, request.method === 'OPTIONS' ? 204 : 405);
  }
  const path = request.url!.split('?', 1)[0]!;
  // A screen has an address without a dot; the router in the page knows which screens there are.
  const file = files.get(path) ?? (path.includes('.') ? undefined : files.get('/index.html'));
  if (!file) return end(response, 404, 'Not found');
  response.setHeader('content-type', file.type);
  response.setHeader('etag', file.etag);
  response.setHeader('vary', 'Accept-Encoding');
  response.setHeader('cache-control', file.isHashed ? `public, max-age=${yearSeconds}, immutable` : 'no-cache');
  if (request.headers['if-none-match'] === file.etag) return end(response, 304);
  const isCompressed = /\bgzip\b/.test(String(request.headers['accept-encoding'] ?? ''));
  if (isCompressed) response.setHeader('content-encoding', 'gzip');
  const body = isCompressed ? file.compressed : file.plain;
  response.setHeader('content-length', body.length);
  response.writeHead(200);
  response.end(request.method === 'HEAD' ? undefined : body);
}

function end(response: ServerResponse, status: number, text = ''): void {
  response.writeHead(status, text === '' ? {} : { 'content-type': 'text/plain; charset=utf-8' });
  response.end(text);
}

const jsonFile = (value: unknown): WebFile =>
  webFile(Buffer.from(JSON.stringify(value)), 'application/json; charset=utf-8', false);

/** What the page reads as its `Settings`. */
function pageSettings(settings: ConsoleSettings) {
  return {
    client_id: settings.CLIENT_ID,
    services: {
      identity: settings.IDENTITY_URL,
      'graphql-gateway': settings.GATEWAY_URL,
      interactions: settings.INTERACTIONS_URL,
      'priority-api': settings.PRIORITY_API_URL,
      'priority-webhook': settings.PRIORITY_WEBHOOK_URL,
      coordinator: settings.COORDINATOR_URL,
    },
  };
}

/**
 * Scripts come from here alone, and calls go to the services alone. The components set styles at elements, which a
 * policy can only allow as a whole.
 */
function securityHeaders(settings: ConsoleSettings): Record<string, string> {
  const origins = new Set(Object.values(pageSettings(settings).services).map((address) => new URL(address).origin));
  const policy = [
    `default-src 'none'`,
    `script-src 'self'`,
    `style-src 'self' 'unsafe-inline'`,
    `img-src 'self' data:`,
    `connect-src 'self' ${[...origins].join(' ')}`,
    `form-action 'none'`,
    `frame-ancestors 'none'`,
    `base-uri 'none'`,
  ];
  return {
    'content-security-policy': policy.join('; '),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'permissions-policy': 'camera=(), geolocation=(), microphone=()',
    ...(settings.ENVIRONMENT === 'production'
      ? { 'strict-transport-security': `max-age=${twoYearsSeconds}; includeSubDomains` }
      : {}),
  };
}
