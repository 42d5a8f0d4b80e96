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

  it('serves the description, and in dev a page to read it', async () => {
    const url = await start({ ENVIRONMENT: 'dev' });
    const document = (await (await fetch(`${url}/openapi.json`)).json()) as { openapi: string; paths: object };
    expect(document.openapi).toMatch(/^3\./);
    expect(Object.keys(document.paths)).toEqual(expect.arrayContaining(['/targets', '/items/{id}']));
    const page = await fetch(`${url}/docs`);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain('<title>Example</title>');
  });

  it('serves the description alone elsewhere', async () => {
    const url = await start({ ENVIRONMENT: 'production', HOST: '127.0.0.1', EXAMPLE_SECRET: 'a real secret' });
    expect((await fetch(`${url}/openapi.json`)).status).toBe(200);
    expect((await fetch(`${url}/docs`)).status).toBe(404);
  });
});
