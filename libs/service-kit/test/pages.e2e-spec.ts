// What a person gets at the address of a service and at one with nothing behind it, and what programs get there.
import { request } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { openApi, startService, type RunningService } from '../src/index.js';
import { exampleService } from './example-service.js';

const chromium = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8';
const same = <T>(text: T) => ({ en: text, de: text, fr: text, es: text });

interface Reply {
  status: number | undefined;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

describe('pages of a service', () => {
  let running: RunningService;
  beforeAll(async () => {
    running = await startService(
      {
        ...exampleService,
        frontPage: () => ({
          texts: { ...same({ title: 'Example', lead: 'It greets.' }), de: { title: 'Beispiel', lead: 'Es grüßt.' } },
          links: [{ path: '/greeting', texts: same({ name: 'Greeting', meaning: 'One greeting.' }) }],
        }),
        configure: (app, config) => openApi(app, config, { title: 'Example', description: 'An example' }),
      },
      { env: { ENVIRONMENT: 'dev', PORT: '0', LOG_LEVEL: 'silent', CORS_ORIGINS: 'https://console.example' } },
    );
  });
  afterAll(() => running.close());

  /** Not fetch, which adds `Accept` and changes paths. */
  const send = async (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    new Promise<Reply>((resolve, reject) => {
      const { hostname, port } = new URL(running.url);
      request({ hostname, port, path, method, headers }, (answer) => {
        let body = '';
        answer.setEncoding('utf8').on('data', (chunk: string) => (body += chunk));
        answer.on('end', () => resolve({ status: answer.statusCode, headers: answer.headers, body }));
      })
        .on('error', reject)
        .end();
    });
  const typeOf = ({ headers }: Reply) => String(headers['content-type']).split(';')[0];
  const notFoundBody = (path: string, method = 'GET') =>
    `{"message":"Cannot ${method} ${path}","error":"Not Found","statusCode":404}`;

  it('shows a browser what there is, in its language, and nothing that a page could load or run', async () => {
    const { status, headers, body } = await send('/', { accept: chromium, 'accept-language': 'de-AT,de;q=0.9' });
    expect(status).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'cache-control': 'no-store',
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'DENY',
      'referrer-policy': 'no-referrer',
      vary: 'Origin, Accept, Accept-Language',
    });
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; style-src 'sha256-[\w+/=]+'; form-action 'self'; frame-ancestors 'none'; base-uri 'none'$/,
    );
    expect(body).toContain('<html lang="de">');
    expect(body).toContain('<h1>Beispiel</h1>');
    expect([...body.matchAll(/href="([^"]*)"/g)].map(([, href]) => href)).toEqual([
      ...['/greeting', '/docs', '/openapi.json', '/health', '/ready'],
    ]);
    expect(body).not.toContain('<script');
    expect((await send('/?from=mail', { accept: 'text/html' })).body).toContain('<h1>Example</h1>');
  });

  it('shows a browser a page where there is nothing, also where a handler says so', async () => {
    for (const path of ['/no/such/path', '/docs/nothing', '/no/such/path?with=query', '/greeting/7']) {
      const answer = await send(path, { accept: chromium, 'accept-language': 'fr' });
      expect([path, answer.status, typeOf(answer)]).toEqual([path, 404, 'text/html']);
      expect(answer.headers['vary']).toBe('Origin, Accept, Accept-Language');
      expect(answer.body).toContain('Il n’y a rien ici');
      expect(answer.body).toContain('<a href="/">');
    }
  });

  it.each([
    undefined,
    '',
    '*/*',
    'application/json',
    'application/json, text/html',
    'application/json, text/plain, */*',
    'application/problem+json',
    'image/png, text/html',
    '*/*, text/html',
    'text/html;q=0',
    'text/html;q=0.0, */*;q=0.0',
    'text/html;q=0.1, application/json',
    'text/html;q=0.5, */*',
    'text/html;q=wrong',
    'text/html;level=1',
    'text/htmlx',
    'text/*',
    ',,;q=,',
    'text/html;q=0.9,'.padEnd(12_000, 'a/b;q=0.1,'),
    'text/html;'.padEnd(12_000, '"'),
  ])('answers others with the same JSON as ever: Accept %p', async (accept) => {
    const startedMs = performance.now();
    for (const path of ['/', '/no/such/path', '/graphql/x', '/oauth/x', '/admin/x', '/webhook/network/x']) {
      const answer = await send(path, accept === undefined ? {} : { accept });
      expect([answer.status, typeOf(answer), answer.body]).toEqual([404, 'application/json', notFoundBody(path)]);
      expect(answer.headers['vary']).toBe('Origin, Accept, Accept-Language');
    }
    expect(performance.now() - startedMs).toBeLessThan(1000);
  });

  it.each([
    'text/html',
    'TEXT/HTML',
    ' text/html ;q=1',
    'text/html;q=0.8, application/json;q=0.8',
    'text/html;q=0.001',
  ])('takes %p for a browser', async (accept) => {
    const answer = await send('/', { accept });
    expect([answer.status, typeOf(answer)]).toEqual([200, 'text/html']);
  });

  it('answers programs that name HTML by mistake with JSON: they send a token, or another method', async () => {
    const java = 'text/html, image/gif, image/jpeg, *; q=.2, */*; q=.2';
    const withToken = await send('/admin/x', { accept: java, authorization: 'Bearer x' });
    expect([withToken.status, withToken.body]).toEqual([404, notFoundBody('/admin/x')]);
    for (const method of ['POST', 'PUT', 'PATCH', 'DELETE']) {
      for (const path of ['/', '/webhook/nothing']) {
        const answer = await send(path, { accept: java }, method);
        expect([answer.status, typeOf(answer), answer.body]).toEqual([
          ...[404, 'application/json', notFoundBody(path, method)],
        ]);
      }
    }
    expect((await send('/', { accept: java }, 'OPTIONS')).status).toBe(404);
  });

  it('answers HEAD as GET, without a body', async () => {
    for (const [path, accept] of [
      ['/', chromium],
      ['/nothing', chromium],
      ['/nothing', '*/*'],
    ] as const) {
      const [got, asked] = [await send(path, { accept }), await send(path, { accept }, 'HEAD')];
      expect([asked.status, typeOf(asked), asked.body]).toEqual([got.status, typeOf(got), '']);
      expect(asked.headers['vary']).toBe(got.headers['vary']);
    }
  });

  it('escapes what a path holds, and shows the beginning of a long one', async () => {
    const { body } = await send('/<script>alert(1)</script>"\'&amp;', { accept: chromium });
    expect(body).not.toContain('<script');
    expect(body).toContain('404 Cannot GET /&#60;script&#62;alert(1)&#60;/script&#62;&#34;&#39;&#38;amp;</code>');
    const long = await send(`/${'x'.repeat(8000)}`, { accept: chromium });
    expect(long.status).toBe(404);
    expect(long.body).toContain(`${'x'.repeat(180)}`);
    expect(long.body).not.toContain('x'.repeat(201));
  });

  it('keeps other failures as they are for everybody', async () => {
    for (const [path, status] of [
      ['/%zz', 400],
      ['/failure/expected', 502],
      ['/failure/other', 500],
    ] as const) {
      const answer = await send(path, { accept: chromium });
      expect([path, answer.status, typeOf(answer)]).toEqual([path, status, 'application/json']);
    }
    const wrongMethod = await send('/targets', { accept: chromium });
    expect([wrongMethod.status, wrongMethod.headers['allow']]).toEqual([405, 'POST, OPTIONS']);
  });
});
