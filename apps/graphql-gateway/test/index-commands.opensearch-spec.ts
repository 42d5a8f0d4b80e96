// The commands of the index as processes of their own, on a real OpenSearch. An index is built beside the one in use,
// followed by one process of several, compared and repaired.
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type EmbeddedOpenSearch, freePort, installOpenSearch, startEmbeddedOpenSearch } from '@tradewind/testkit';
import { startGateway, type TestGateway } from './support/gateway.js';
import { serviceToken } from './support/identity-server.js';

installOpenSearch();

const program = fileURLToPath(new URL('../dist/main.js', import.meta.url));
/** Loaded before the command, so that it ends with its test, however the test ends. */
const dieWithParent = `data:text/javascript,${encodeURIComponent(
  `process.once('disconnect', () => process.kill(process.pid, 'SIGKILL')); process.channel?.unref();`,
)}`;
const insertCompanies = `insert into company (id, name, country_id)
  select id, 'Company ' || id, 1372 from generate_series($1::bigint, $2::bigint) id`;
/** Every shard has two marks beside its records. */
const marks = 2;

describe('the commands of the index', () => {
  let openSearch: EmbeddedOpenSearch;
  let gateway: TestGateway;
  const children: ChildProcess[] = [];

  beforeAll(async () => {
    [openSearch, gateway] = await Promise.all([startEmbeddedOpenSearch(), startGateway()]);
    await gateway.sql.query(insertCompanies, [1, 12_000]);
    await gateway.sql.query('analyze company');
  }, 600_000);
  afterAll(async () => {
    for (const child of children) child.kill('SIGKILL');
    await Promise.all([openSearch.stop(), gateway.close()]);
  });

  function start(...args: string[]) {
    const child = spawn(process.execPath, ['--import', dieWithParent, program, 'index', ...args], {
      env: {
        PATH: process.env['PATH'],
        ENVIRONMENT: 'dev',
        LOG_LEVEL: 'info',
        DATABASE_URL: gateway.database.url,
        OAUTH_ISSUER: gateway.identity.url,
        SERVICE_TOKEN: serviceToken,
        OPENSEARCH_URL: openSearch.url,
        OPENSEARCH_REPLICAS: '0',
      },
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    children.push(child);
    const said = { text: '' };
    for (const stream of [child.stdout!, child.stderr!])
      stream.on('data', (chunk: Buffer) => (said.text += chunk.toString()));
    return { child, said };
  }

  async function run(...args: string[]): Promise<{ code: number | null; text: string }> {
    const { child, said } = start(...args);
    const [code] = (await once(child, 'close')) as [number | null];
    return { code, text: said.text };
  }

  async function ask<T>(path: string, options?: RequestInit): Promise<T> {
    const response = await fetch(`${openSearch.url}/${path}`, options);
    if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
    return (await response.json()) as T;
  }
  const counted = async () => (await ask<{ count: number }>('tradewind-company/_count')).count - marks;
  const indexInUse = async () => Object.keys(await ask<object>('_alias/tradewind-company')).join();

  async function until(what: string, isSo: () => boolean | Promise<boolean>): Promise<void> {
    for (const endMs = performance.now() + 180_000; performance.now() < endMs;) {
      if (await isSo()) return;
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
    throw new Error(`not in time: ${what}`);
  }

  it('build every index, and replace one that is in use without a gap', async () => {
    const first = await run('build');
    expect(first.code).toBe(0);
    for (const entity of ['company', 'person', 'deal', 'contact'])
      expect(first.text).toContain(`The index of ${entity} is built and in use.`);
    expect(first.text).toContain('12000/12000');
    expect(await counted()).toBe(12_000);
    const before = await indexInUse();
    let isBuilding = true;
    const counts = new Set<number>();
    const asking = (async () => {
      while (isBuilding) counts.add(await counted());
    })();
    const second = await run('build', '--entity', 'company');
    isBuilding = false;
    await asking;
    expect(second.code).toBe(0);
    expect([...counts]).toEqual([12_000]);
    expect(await indexInUse()).not.toBe(before);
    expect(Object.keys(await ask<object>('tradewind-company-*'))).toEqual([await indexInUse()]);
  }, 600_000);

  it('build again only what was left when a build of all ended early', async () => {
    const before = await indexInUse();
    const other = await gateway.sql.connect();
    // As another process that builds this index has it.
    await other.query(`select pg_advisory_lock(717202, hashtext('person'))`);
    const stopped = await run('build');
    expect(stopped.code).toBe(1);
    expect(stopped.text).toContain('Another process builds the index of person.');
    await other.query(`select pg_advisory_unlock(717202, hashtext('person'))`);
    other.release();
    const company = await indexInUse();
    expect(company).not.toBe(before);
    const next = await run('build');
    expect(next.code).toBe(0);
    expect(next.text).toContain('The index of company was built before the stop');
    expect(next.text).toContain('The index of contact is built and in use.');
    expect(await indexInUse()).toBe(company);
    // A run that was finished is followed by one of all entities.
    expect((await run('build')).text).toContain('The index of company is built and in use.');
  }, 600_000);

  it('follow changes in one process, and in another one when that is killed', async () => {
    const metricsPort = await freePort();
    const followers = [start('follow', '--metrics-port', String(metricsPort)), start('follow')];
    const leads = ({ said }: (typeof followers)[0]) => said.text.includes('"entity":"company"');
    await until('a leader', () => followers.some(leads));
    await gateway.sql.query(insertCompanies, [12_001, 12_500]);
    await until('the changes in the index', async () => (await counted()) === 12_500);
    expect(followers.filter(leads)).toHaveLength(1);
    const metrics = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    expect(metrics).toMatch(/^tradewind_graphql_gateway_search_index_lag_seconds [\d.]+$/m);
    const leader = followers.find(leads)!;
    const other = followers.find((each) => each !== leader)!;
    leader.child.kill('SIGKILL');
    await gateway.sql.query('delete from company where id <= 500');
    await until('another leader', () => leads(other));
    await until('the deletions in the index', async () => (await counted()) === 12_000);
    other.child.kill('SIGTERM');
    const [code] = (await once(other.child, 'close')) as [number | null];
    expect({ code, text: other.said.text }).toEqual({
      code: 0,
      text: expect.not.stringContaining('search_index_failed'),
    });
  }, 600_000);

  it('check a sample and all records, repair what differs, and end with code 1 then', async () => {
    expect(await run('check', '--sample', '500')).toMatchObject({ code: 0 });
    await ask(`tradewind-company/_doc/700?refresh=true`, { method: 'DELETE' });
    const found = await run('check', '--entity', 'company');
    expect(found.code).toBe(1);
    expect(found.text).toMatch(/company +12000 +1 +700/);
    const again = await run('check', '--entity', 'company');
    expect(again.code).toBe(0);
    expect(again.text).toMatch(/company +12000 +0/);
  }, 600_000);

  it('say what is missing', async () => {
    for (const index of ['tradewind-person', 'tradewind-builds'])
      await ask(`${await realName(index)}`, { method: 'DELETE' });
    const { code, text } = await run('check', '--entity', 'person');
    expect(code).toBe(1);
    expect(text).toContain('The index of person has to be built first');
  }, 600_000);

  const realName = async (name: string) => Object.keys(await ask<object>(name)).join();
});
