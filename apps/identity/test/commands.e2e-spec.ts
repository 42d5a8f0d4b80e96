// The operator commands as they are typed, against a database of their own.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { findServiceToken, migrateDatabase, openService, parseServiceTokens, type Db } from '@tradewind/service-kit';
import { createTestDatabase, type TestDatabase } from '@tradewind/testkit';
import { migrations } from '../src/migrations.js';
import { addCommands } from '../src/commands.js';
import { service } from '../src/service.js';
import { openIdentityDb } from './identity-database.js';

describe('operator commands', () => {
  let database: TestDatabase;
  let env: Record<string, string>;
  beforeAll(async () => {
    database = await createTestDatabase();
    await migrateDatabase({ DATABASE_URL: database.url, DATABASE_SCHEMA: 'identity' }, migrations);
    env = {
      ENVIRONMENT: 'dev',
      LOG_LEVEL: 'fatal',
      DATABASE_URL: database.url,
      OAUTH_ISSUER: 'http://localhost:4000',
      SIGNING_KEY_POLL_SECONDS: '1',
    };
  });
  afterAll(() => database.drop());

  /** The output of a command; rejects when the command fails. */
  async function run(...argv: string[]): Promise<string> {
    const printed: string[] = [];
    // The result goes to the terminal, so the test captures standard output.
    const write = jest.spyOn(process.stdout, 'write').mockImplementation((chunk) => {
      printed.push(String(chunk));
      return true;
    });
    const program = new Command('identity').exitOverride().configureOutput({ writeErr: () => undefined });
    const opened = await openService(service, { env });
    try {
      addCommands(program, () => Promise.resolve(opened));
      await program.parseAsync(argv, { from: 'user' });
      return printed.join('');
    } finally {
      write.mockRestore();
      await opened.close();
    }
  }

  it('users: create, once only unless --if-missing, list, role, password, disable, enable', async () => {
    const create = [
      'user',
      'create',
      '--email',
      'Demo@Example.com',
      '--password',
      'demo-password-1',
      '--role',
      'USER',
      '--name',
      'Demo User',
    ];
    const id = await run(...create);
    expect(id).toMatch(/^[0-9a-f-]{36}\n$/);
    await expect(run(...create)).rejects.toThrow('already');
    expect(await run(...create, '--if-missing')).toBe(id);
    await expect(run('user', 'create', '--email', 'x@example.com', '--password', 'short')).rejects.toThrow('12 to');
    await expect(run('user', 'create', '--email', 'no address', '--password', 'long enough password')).rejects.toThrow(
      'not an email',
    );
    await expect(run('user', 'set-role', '--email', 'demo@example.com', '--role', 'KING')).rejects.toThrow(
      'USER, ANALYST, ADMIN',
    );
    await run('user', 'set-role', '--email', 'demo@example.com', '--role', 'ADMIN');
    await run('user', 'set-password', '--email', 'demo@example.com', '--password', 'another-password-2');
    await run('user', 'disable', '--email', 'demo@example.com');
    expect(await run('user', 'list')).toMatch(
      /^id +email +role .*\n.*Demo@Example\.com +ADMIN +- +20[-0-9: ]{17} +Demo User\n$/,
    );
    await run('user', 'enable', '--email', 'demo@example.com');
    expect(JSON.parse(await run('user', 'list', '--json'))).toMatchObject({ userRole: 'ADMIN', disabledAt: null });
    await expect(run('user', 'disable', '--email', 'nobody@example.com')).rejects.toThrow('no user');
    await expect(run('user', 'create')).rejects.toThrow('required option');
  }, 60_000);

  it('clients: a fixed one once, refused metadata, show without the secret, delete', async () => {
    const create = [
      'client',
      'create',
      '--id',
      'demo-client',
      '--secret',
      'demo-secret',
      '--redirect-uri',
      'http://localhost:4999/callback',
      '--grant-types',
      'authorization_code',
      'refresh_token',
    ];
    expect(await run(...create, '--if-missing')).toBe('client_id demo-client\nclient_secret demo-secret\n');
    expect(await run(...create, '--if-missing')).toContain('exists');
    await expect(run(...create)).rejects.toThrow('already');
    await expect(run('client', 'create', '--redirect-uri', 'http://evil.example/cb')).rejects.toThrow(
      'redirect_uris must be https',
    );
    expect(
      await run('client', 'create', '--redirect-uri', 'https://a.example/cb', '--auth-method', 'none'),
    ).not.toContain('secret');
    const shown = await run('client', 'show', 'demo-client');
    expect(JSON.parse(shown)).toMatchObject({
      clientId: 'demo-client',
      metadata: { redirect_uris: ['http://localhost:4999/callback'] },
    });
    expect(shown).not.toContain('demo-secret');
    expect(await run('client', 'list')).toContain('demo-client');

    const allow = (...words: string[]) => run('client', 'allow-resource', ...words);
    await allow('demo-client', 'urn:tradewind:pipelines');
    await allow('demo-client', 'urn:tradewind:pipelines');
    await allow('demo-client', 'urn:tradewind:data');
    expect(await run('client', 'list')).toMatch(/^demo-client .* urn:tradewind:pipelines, urn:tradewind:data$/m);
    await run('client', 'disallow-resource', 'demo-client', 'urn:tradewind:data');
    expect(JSON.parse(await run('client', 'show', 'demo-client'))).toMatchObject({
      origin: 'operator',
      resources: ['urn:tradewind:pipelines'],
    });
    await expect(allow('demo-client', 'urn:unknown')).rejects.toThrow('OAUTH_RESOURCES');
    await expect(allow('demo-client', 'http://localhost:4000/')).rejects.toThrow('issuer itself');
    await expect(allow('nobody', 'urn:tradewind:data')).rejects.toThrow('no client');
    const made = ['client', 'create', '--id', 'second', '--redirect-uri', 'https://a.example/cb', '--resource'];
    await run(...made, 'urn:tradewind:data', 'urn:tradewind:identity');
    expect(JSON.parse(await run('client', 'show', 'second'))).toMatchObject({
      resources: ['urn:tradewind:data', 'urn:tradewind:identity'],
    });
    const unknown = ['client', 'create', '--redirect-uri', 'https://a.example/cb', '--resource', 'urn:unknown'];
    await expect(run(...unknown)).rejects.toThrow('OAUTH_RESOURCES');
    const events = await run('audit', 'list', '--client', 'demo-client');
    expect(events).toContain('client.resource_allowed');
    expect(events).toContain('client.resource_disallowed');
    await run('client', 'delete', 'demo-client');
    await expect(run('client', 'delete', 'demo-client')).rejects.toThrow('no client');
  }, 60_000);

  it('users: a company, and deletion', async () => {
    const created = await run(
      ...['user', 'create', '--email', 'c@example.com', '--password', 'a long password', '--company', 'acme'],
    );
    const id = created.trim();
    expect(await run('user', 'list')).toMatch(new RegExp(`^${id} +c@example\\.com +USER +acme +- +-$`, 'm'));
    await run('user', 'set-company', 'C@example.com', 'globex: east');
    expect(await run('user', 'list')).toMatch(/ c@example\.com +USER +globex: east /);
    await run('user', 'set-company', 'c@example.com', '--none');
    expect(await run('user', 'list')).toMatch(/ c@example\.com +USER +- +- +-$/m);
    for (const wrong of [[], ['acme', '--none'], [' '], ['a\nb'], ['x'.repeat(201)]]) {
      await expect(run('user', 'set-company', 'c@example.com', ...wrong)).rejects.toThrow(/company/);
    }
    const audit = await run('audit', 'list', '--event', 'user.company_set', '--json');
    expect(JSON.parse(audit.split('\n')[1]!)).toMatchObject({
      userId: id,
      details: { from: 'acme', to: 'globex: east' },
    });
    await run('user', 'delete', '--email', 'c@example.com');
    expect(await run('user', 'list')).not.toContain('c@example.com');
    await expect(run('user', 'delete', '--email', 'c@example.com')).rejects.toThrow('no user');
    expect(await run('audit', 'list', '--event', 'user.deleted')).toContain(id);
    // The address is free.
    const again = await run(...['user', 'create', '--email', 'c@example.com', '--password', 'a long password']);
    expect(again).toMatch(/^[0-9a-f-]{36}\n$/);
    expect(again.trim()).not.toBe(id);
    await run('user', 'delete', '--email', 'c@example.com');
  }, 60_000);

  describe('an operator changes', () => {
    const email = ['--email', 'changed@example.com'];
    const disabled = ['--email', 'disabled@example.com'];
    const id = 'changed-client';
    const changes = {
      'user create': ['user', 'create', '--email', 'new@example.com', '--password', 'a long password'],
      'user invite': ['user', 'invite', '--email', 'invited@example.com'],
      'user password-link': ['user', 'password-link', ...email],
      'user set-password': ['user', 'set-password', ...email, '--password', 'another long password'],
      'user set-role': ['user', 'set-role', ...email, '--role', 'ADMIN'],
      'user set-company': ['user', 'set-company', 'changed@example.com', 'globex'],
      'user reset-second-factor': ['user', 'reset-second-factor', ...email],
      'user disable': ['user', 'disable', ...email],
      'user enable': ['user', 'enable', ...disabled],
      'user delete': ['user', 'delete', ...email],
      'client create': ['client', 'create', '--id', 'new-client', '--redirect-uri', 'https://a.example/cb'],
      'client allow-resource': ['client', 'allow-resource', id, 'urn:tradewind:data'],
      'client disallow-resource': ['client', 'disallow-resource', id, 'urn:tradewind:identity'],
      'client delete': ['client', 'delete', id],
      'key rotate': ['key', 'rotate', '--force'],
    };
    const tables = [
      'user_account',
      'account_link',
      'credential_change',
      'oidc_payload',
      'oauth_client',
      'signing_key',
      'audit_event',
    ];
    let db: Db;
    beforeAll(async () => {
      db = await openIdentityDb(database.url, { poolSize: 2 });
      await db.rows('create sequence refusals');
      await db.rows(`create function refuse_audit() returns trigger language plpgsql as $$ begin
        if nextval('refusals') <= tg_argv[1]::int then raise exception using errcode = tg_argv[0]; end if;
        return new; end $$`);
      for (const one of [email, disabled]) await run('user', 'create', ...one, '--password', 'a long password');
      await run('user', 'disable', ...disabled);
      await db.rows(`update user_account set second_factor_at = now() where email = 'changed@example.com'`);
      await run('client', 'create', '--id', id, '--redirect-uri', 'https://a.example/cb');
      await run('client', 'allow-resource', id, 'urn:tradewind:identity');
    });
    afterAll(() => db.close());

    /** The command, while the first audit rows are refused with an SQLSTATE. */
    async function runRefused(code: string, times: number, argv: string[]): Promise<void> {
      await db.rows(`create trigger refused before insert on audit_event
        for each row execute function refuse_audit('${code}', '${times}')`);
      await db.rows('alter sequence refusals restart');
      await run(...argv).finally(() => db.rows('drop trigger refused on audit_event'));
    }
    const rows = async () =>
      Object.fromEntries(
        await Promise.all(tables.map(async (table) => [table, await db.rows(`select * from ${table} order by 1`)])),
      ) as Record<string, object[]>;

    it.each(Object.entries(changes))('nothing when its audit row cannot be stored: %s', async (_name, argv) => {
      const before = await rows();
      await expect(runRefused('23514', 1, argv)).rejects.toThrow();
      expect(await rows()).toEqual(before);
    });

    it.each(Object.entries(changes))('once, after lost races: %s', async (_name, argv) => {
      const before = await rows();
      await runRefused('40P01', 2, argv);
      const after = await rows();
      expect(after['audit_event']!.length).toBe(before['audit_event']!.length + 1);
      expect(after).not.toEqual({ ...before, audit_event: after['audit_event'] });
    });
  });

  it('service tokens: a token and the entry that accepts it', async () => {
    const create = ['service-token', 'create', '--name', 'crm', '--for', 'interactions', 'priority-api'];
    const printed = await run(...create, '--company', 'acme');
    const [, token = '', entry = ''] = /^token (\S{43})\nentry (\S+)\n$/.exec(printed) ?? [];
    expect(findServiceToken(parseServiceTokens(entry), token)).toMatchObject({
      name: 'crm',
      services: ['interactions', 'priority-api'],
      companyId: 'acme',
    });
    expect(await run(...create)).not.toContain('company');
    await expect(run(...create, '--company', 'a,b')).rejects.toThrow('comma');
    await expect(run('service-token', 'create', '--name', 'CRM', '--for', 'interactions')).rejects.toThrow('name');
  }, 60_000);

  it('keys: list and rotate; the audit log says who did what', async () => {
    expect(await run('key', 'list')).toMatch(/ current .*\n.* next /);
    const signs = await run('key', 'rotate', '--force');
    const listed = await run('key', 'list');
    expect(listed).toContain(`${signs.split(' ')[0]}  current`);
    expect(listed).toContain('published until');
    expect(listed).not.toContain('"d"');
    const audit = await run('audit', 'list');
    for (const event of [
      'user.created',
      'user.disabled',
      'user.password_set',
      'client.created',
      'client.deleted',
      'key.rotated',
    ]) {
      expect(audit).toContain(event);
    }
    expect(audit).not.toMatch(/demo-password|another-password|demo-secret/);
    const rotations = (await run('audit', 'list', '--event', 'key.rotated', '--json')).trim().split('\n');
    expect(JSON.parse(rotations[0] as string)).toMatchObject({ event: 'key.rotated', details: { by: 'operator' } });
    expect(await run('audit', 'list', '--since', '2100-01-01')).toBe('Nothing here: there are no events.\n');
  }, 60_000);
});
