/* eslint-disable @typescript-eslint/no-unsafe-assignment, @typescript-eslint/no-unsafe-member-access --
   answers are JSON of any shape, and the assertions judge them */
// Every documented example is a valid request, and the explorer loads from the gateway alone.
import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { filterFields } from '@tradewind/filters';
import { examples } from '../src/explorer/examples.js';
import { startGateway, type TestGateway } from './support/gateway.js';

describe('examples', () => {
  let gateway: TestGateway;
  let key: string;
  beforeAll(async () => {
    gateway = await startGateway();
    ({ key } = await gateway.newKey());
  });
  afterAll(() => gateway.close());

  it('exist for every filter field', () => {
    const titles = new Set(examples.map(({ title }) => title));
    const connection = { company: 'companiesConnection', person: 'personsConnection', deal: 'dealsConnection' };
    for (const field of Object.values(filterFields).flat())
      expect(titles).toContain(`${connection[field.entity]}: ${field.name}`);
    expect(titles.size).toBe(examples.length);
  });

  it.each(examples.map((example) => [example.title, example] as const))('%s', async (_title, { query, variables }) => {
    const { status, body } = await gateway.data(key, query, variables);
    const unknownCity =
      body.errors?.[0].extensions.field === 'location' && JSON.stringify(variables).includes('California');
    if (!unknownCity) expect({ status, errors: body.errors }).toEqual({ status: 200, errors: undefined });
  });

  const tour = readFileSync(new URL('../../../docs/examples/README.md', import.meta.url), 'utf8');
  const stops = [...tour.matchAll(/^## (.+)\n[^#]*?```graphql\n([^`]+)```\n\n(?:```json\n([^`]+)```)?/gm)].map(
    ([, title, query, variables]) => ({ title, query: query!, variables: variables ?? '{}' }),
  );

  it('the tour has a request at each of its six numbered stops', () => {
    expect(stops).toHaveLength(6);
    expect(stops.map(({ title }) => title)).toEqual([...tour.matchAll(/^## (\d\. .+)$/gm)].map(([, title]) => title));
  });

  it.each(stops)('the tour, $title', async ({ title, query, variables }) => {
    const { body } = await gateway.data(key, query, JSON.parse(variables) as Record<string, unknown>);
    const message: unknown = body.errors?.[0].message;
    if (title === '6. Make a mistake') expect(message).toContain('United States');
    else expect(message).toBeUndefined();
  });

  it('the explorer and everything it loads come from the gateway', async () => {
    const base = gateway.replicas[0]!.url;
    const page = await fetch(`${base}/explorer`);
    expect(page.headers.get('content-type')).toContain('text/html');
    const html = await page.text();
    const [, nonce] = /nonce="([\w-]+)"/.exec(html)!;
    const policy = page.headers.get('content-security-policy')!;
    expect(policy).toContain(`script-src 'nonce-${nonce}'; style-src 'nonce-${nonce}'`);
    expect(policy).not.toMatch(/unsafe|\*|https?:/);
    expect((await fetch(`${base}/explorer`)).headers.get('content-security-policy')).not.toBe(policy);
    const addresses = [...html.matchAll(/(?:src|href)="([^"]+)"/g)].map((match) => match[1]!);
    expect(addresses.length).toBeGreaterThanOrEqual(6);
    for (const address of [...addresses, '/explorer/examples.json', '/explorer/schema.json']) {
      expect(address).toMatch(/^\/explorer\//);
      const asset = await fetch(base + address);
      expect({ address, status: asset.status }).toEqual({ address, status: 200 });
      expect((await asset.text()).length).toBeGreaterThan(300);
    }
    expect((await fetch(`${base}/explorer/..%2fexplorer.controller.ts`)).status).toBe(404);
    expect((await fetch(`${base}/explorer/README.md`)).status).toBe(404);
  });
});
