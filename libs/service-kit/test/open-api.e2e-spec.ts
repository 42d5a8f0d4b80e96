import { afterEach, describe, expect, it } from '@jest/globals';
import { openApi, startService, type RunningService } from '../src/index.js';
import { exampleService } from './example-service.js';

describe('openApi', () => {
  let running: RunningService | undefined;
  afterEach(() => running?.close());
  const start = async (env: Record<string, string>) => {
    running = await startService(
      {
        ...exampleService,
        configure: (app, config) => openApi(app, config, { title: 'Example', description: 'An example' }),
      },
      { env: { PORT: '0', LOG_LEVEL: 'silent', ...env } },
    );
    return running.url;
  };

  it('serves the document, and in dev its page', async () => {
    const url = await start({ ENVIRONMENT: 'dev' });
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { openapi: string; paths: object };
    expect(document.openapi).toMatch(/^3\./);
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/targets', '/items/{id}']));
    const { responses } = (document.paths as Record<string, { post: { responses: object } }>)['/targets']!.post;
    expect(Object.keys(responses)).toEqual(['200', '400', '413', '415', '503']);
    const page = await fetch(`${url}/docs`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>Example</title>');
  });

  it('serves only the document elsewhere, unless a setting asks for the page', async () => {
    const production = { ENVIRONMENT: 'production', HOST: '127.0.0.1', EXAMPLE_SECRET: 'Xo0LmBqYk2f7Tn4zVr8WcE1s' };
    const url = await start(production);
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    expect((await fetch(`${url}/docs`)).status).toBe(404);
    await running?.close();
    expect((await fetch(`${await start({ ...production, API_DOCS: 'true' })}/docs`)).status).toBe(200);
  });
});
