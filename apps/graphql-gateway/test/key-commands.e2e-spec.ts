// The operator commands, run as `node main.js key ...` runs them.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runService } from '@tradewind/service-kit';
import { AuditLogService } from '../src/api-keys/audit-log.service.js';
import { service } from '../src/service.js';
import { startGateway, type TestGateway } from './support/gateway.js';

describe('key commands', () => {
  let gateway: TestGateway;
  const before = { ...process.env };
  beforeAll(async () => {
    gateway = await startGateway({ KEY_CACHE_MS: '0' });
    Object.assign(process.env, {
      ENVIRONMENT: 'dev',
      LOG_LEVEL: 'fatal',
      DATABASE_URL: gateway.database.url,
      OAUTH_ISSUER: gateway.identity.url,
    });
  });
  afterAll(async () => {
    process.env = before;
    await gateway.close();
  });

  async function run(...argv: string[]): Promise<string> {
    const lines: string[] = [];
    const write = jest.spyOn(process.stdout, 'write').mockImplementation((text) => lines.push(String(text)) > 0);
    try {
      await runService(service, argv);
    } finally {
      write.mockRestore();
    }
    return lines.join('');
  }

  it('list, show, revoke and audit keys without ever showing one', async () => {
    const { key, user } = await gateway.newKey();
    const other = await gateway.newKey();
    await gateway.data(key, 'query looking { __typename }');
    await gateway.replicas[0]!.app.get(AuditLogService).flush();

    const all = await run('key', 'list');
    expect(all).toContain(user.email);
    expect(all).toContain(other.user.email);
    const [mine] = (await run('key', 'list', '--user', user.email, '--json')).trim().split('\n');
    const { id, prefix, state } = JSON.parse(mine!) as { id: string; prefix: string; state: string };
    expect({ prefix, state }).toEqual({ prefix: key.slice(0, 8), state: 'active' });
    expect(JSON.parse(await run('key', 'show', prefix))).toMatchObject({ id, name: 'test', userEmail: user.email });

    expect(await run('key', 'revoke', id)).toBe(`Revoked ${id}.\n`);
    expect(await run('key', 'revoke', id)).toContain('revoked already');
    expect((await gateway.data(key, '{ __typename }')).status).toBe(401);
    expect((await gateway.data(other.key, '{ __typename }')).status).toBe(200);

    const audit = await run('key', 'audit', id);
    const outcomes = audit
      .trim()
      .split('\n')
      .map((line) => line.split('  ')[1]);
    expect(outcomes.slice(0, 3)).toEqual(['created', 'used', 'revoked']);
    expect(audit).toContain('looking');
    for (const text of [all, mine, audit]) expect(text).not.toContain(key.slice(8));
  });
});
