// The operator commands, run as `node main.js key ...` runs them.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { runService, type OperatorError } from '@tradewind/service-kit';
import { Command } from 'commander';
import { generateApiKey } from '../src/api-keys/api-key-format.js';
import { addCommands } from '../src/commands.js';
import { AuditLogService } from '../src/api-keys/audit-log.service.js';
import { service } from '../src/service.js';
import { serviceToken } from './support/identity-server.js';
import { startGateway, type TestGateway } from './support/gateway.js';

describe('commands', () => {
  let gateway: TestGateway;
  const before = { ...process.env };
  beforeAll(async () => {
    gateway = await startGateway({ KEY_CACHE_MS: '0' });
    Object.assign(process.env, {
      ENVIRONMENT: 'dev',
      LOG_LEVEL: 'fatal',
      DATABASE_URL: gateway.database.url,
      OAUTH_ISSUER: gateway.identity.url,
      SERVICE_TOKEN: serviceToken,
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

  /** Why a command refuses. */
  async function refusalOf(...argv: string[]): Promise<string> {
    const program = new Command('graphql-gateway').exitOverride();
    addCommands(program, () => Promise.resolve(gateway.replicas[0]!.app));
    const refusal = await program.parseAsync(argv, { from: 'user' }).catch((error: unknown) => error);
    return (refusal as OperatorError).message;
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
      .map((line) => line.split(/ {2,}/)[1]);
    expect(outcomes.slice(0, 4)).toEqual(['outcome', 'created', 'used', 'revoked']);
    expect(audit).toContain('looking');
    for (const text of [all, mine, audit]) expect(text).not.toContain(key.slice(8));
  });

  it('accept a key by its id, its first 8 characters or in full', async () => {
    const { key, user } = await gateway.newKey();
    await gateway.replicas[0]!.app.get(AuditLogService).flush();
    const [mine] = (await run('key', 'list', '--user', user.id, '--json')).trim().split('\n');
    const { id } = JSON.parse(mine!) as { id: string };
    for (const name of [id, key.slice(0, 8), key]) {
      expect(JSON.parse(await run('key', 'show', name))).toMatchObject({ id });
      expect(await run('key', 'audit', name)).toMatch(new RegExp(`created +${id}`));
    }
    const other = generateApiKey();
    for (const name of [other, key.slice(0, 20), 'svc_none']) {
      const refusal = await refusalOf('key', 'revoke', name);
      expect(refusal).toContain('name one by its id, its first 8 characters or the whole key');
      expect(refusal).not.toContain(other);
    }
    expect(await refusalOf('key', 'revoke')).toContain('either a key or --user');
    expect(await refusalOf('key', 'revoke', key, '--user', user.id)).toContain('either a key or --user');
    expect(await refusalOf('key', 'revoke', '--user', 'nobody@example.com')).toContain('has no keys');
    expect(await run('key', 'revoke', key)).toBe(`Revoked ${id}.\n`);
    expect((await gateway.data(key, '{ __typename }')).status).toBe(401);
  });

  it('revoke every key of a user, by email or by id', async () => {
    for (const name of ['email', 'id'] as const) {
      const { key, user } = await gateway.newKey();
      const keys = [key, (await gateway.newKey({ user })).key];
      const other = await gateway.newKey();
      const printed = await run('key', 'revoke', '--user', user[name].toUpperCase());
      expect(printed.match(/^Revoked .+\.$/gm)).toHaveLength(2);
      for (const each of keys) expect((await gateway.data(each, '{ __typename }')).status).toBe(401);
      expect((await gateway.data(other.key, '{ __typename }')).status).toBe(200);
      expect(await run('key', 'revoke', '--user', user[name])).toContain('revoked already');
    }
  });

  it('of the index need OPENSEARCH_URL, and name an option that is wrong', async () => {
    for (const command of ['build', 'follow', 'check'])
      expect(await refusalOf('index', command)).toBe('OPENSEARCH_URL is not set');
    expect(await refusalOf('index', 'build', '--entity', 'lookup')).toBe(
      '--entity must be one of company, person, deal, contact',
    );
    expect(await refusalOf('index', 'check', '--sample', '0')).toBe('expected a positive integer, not "0"');
  });
});
