// One secret of each kind is planted, as the tree and as a log would have it, plain and encoded. None may be missed.
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { findSecrets } from './find-secrets.mjs';
import { KnownValues } from './known-values.mjs';
import { scanContext, scanLogs, scanTree } from './scan.mjs';

interface Secret {
  line: number;
  kind: string;
  text: string;
}
const inTree = async (text: string) => (await findSecrets(text, { place: 'tree' })) as Secret[];
const inLogs = async (text: string, known: readonly string[] = []) =>
  (await findSecrets(text, { place: 'logs', known: new KnownValues(known) })) as Secret[];

// Made here, so that this file itself has no secret in it.
const random = (seed: string, length = 43) =>
  createHash('sha512').update(seed).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, length);
const encoded = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = `${encoded({ alg: 'RS256', typ: 'JWT' })}.${encoded({ sub: '1', aud: 'a' })}.${random('jwt')}`;
const key = `svc_${random('key', 49)}`;
const address = ['jane.doe', 'gmail.com'].join('@');
const hex = createHash('sha256').update('hex').digest('hex');
const strong = random('password', 24);
const driver = ['/srv/Clone-2026/node_modules', 'typeorm/driver/postgres', 'PostgresQueryRunner.js'].join('/');

/** What is written, and the secret in it. */
const planted: [string, string, string][] = [
  ['API key', `key ${key} made`, key],
  ['JSON Web Token', `got ${jwt} back`, jwt],
  ['private key', `-----BEGIN ${'RSA'} PRIVATE KEY-----`, `-----BEGIN ${'RSA'} PRIVATE KEY`],
  ['password in an address', `postgres://app:${strong}@10.0.0.7:5432/app`, strong],
  ['authorization header', `Authorization: Bearer ${random('bearer')}`, random('bearer')],
  ['cookie', `Set-Cookie: __Host-session=${random('cookie')}; Path=/`, random('cookie')],
  ['cookie', `cookie: _interaction=${random('cookie')}`, random('cookie')],
  ['value of a secret name', `"client_secret": "${random('client', 86)}"`, random('client', 86)],
  ['value of a secret name', `"refresh_token":"${random('refresh')}"`, random('refresh')],
  ['value of a secret name', `registration_access_token: '${random('registration')}'`, random('registration')],
  ['value of a secret name', `SERVICE_TOKEN=${random('service')}`, random('service')],
  ['value of a secret name', `PASSWORD=${hex}`, hex],
  ['secret of a query', `GET /callback?code=${random('code')}&state=1`, random('code')],
  ['random text', `the token is ${random('plain', 22)}`, random('plain', 22)],
  ['random text', `GET /files/${random('path')}/parts`, random('path')],
  ['e-mail address', `written by ${address}`, address],
  ['github', `ghp_${random('github', 36)}`, `ghp_${random('github', 36)}`],
];
/** What a person may write into code and documents, but a log may not hold. */
const plantedInLogs: [string, string, string][] = [
  ['password in an address', 'postgres://postgres:postgres@127.0.0.1:4432/tradewind', 'postgres'],
  ['authorization header', 'authorization: Basic dXNlcjpwYXNz', 'dXNlcjpwYXNz'],
  ['cookie', '_csrf=abcdefgh', 'abcdefgh'],
  ['value of a secret name', '{"password":"demo-password-1"}', 'demo-password-1'],
  ['value of a secret name', 'client_secret=demo-secret', 'demo-secret'],
  ['secret of a query', 'GET /callback?code=abcdef', 'abcdef'],
  ['e-mail address', '{"user":"demo@example.com"}', 'demo@example.com'],
];
const forms: [string, (text: string) => string][] = [
  ['plain', (text) => text],
  ['as JSON in JSON', (text) => JSON.stringify({ message: JSON.stringify({ text }) })],
  [
    'with escaped characters',
    (text) => text.replaceAll(/[^\w]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`),
  ],
  ['in an address', (text) => `/search?query=${encodeURIComponent(text)}`],
  ['in base64', (text) => `seen ${Buffer.from(`in the text: ${text}`).toString('base64')} here`],
];

describe.each(forms)('a secret %s', (form, write) => {
  it.each(planted)('is found in the tree and in logs: %s', async (kind, text, secret) => {
    const content = `first line\n${write(text)}\nlast line`;
    for (const found of [await inTree(content), await inLogs(content)]) {
      const ofSecret = found.filter(({ line, text: shown }) => line === 2 && shown.includes(secret));
      expect(ofSecret.map((one) => one.kind)).toContainEqual(form === 'plain' ? kind : expect.any(String));
    }
  });

  it.each(plantedInLogs)('is found in logs alone: %s', async (kind, text, secret) => {
    expect(await inLogs(write(text))).toContainEqual({ line: 1, kind, text: secret });
    expect(await inTree(text)).toEqual([]);
  });

  it('is found in logs when the run knows it, whatever it looks like', async () => {
    const phrase = 'correct horse battery';
    const found = await inLogs(write(`tried ${phrase} once`), [phrase, 'another phrase']);
    expect(found).toContainEqual({ line: 1, kind: 'known value', text: phrase });
    expect(found.filter(({ kind }) => kind === 'known value')).toHaveLength(1);
  });
});

describe('no secret', () => {
  it.each([
    'Authorization: Bearer ***',
    'postgres://user:***@host:5432/db',
    '/callback?code=***&state=1',
    '{"password":"***","token":null,"has_secret":true}',
    'svc_*** and svc_abcd',
    '{"request_id":"3f2b8c1e-7a64-4d57-9d0a-5b1f2e3c4d5e","trace_id":"4bf92f3577b34da6a3ce929d0e0e4736"}',
    'at ServiceFailureInterceptor2.transform (/app/apps/identity/dist/main.js:10:20)',
    `at run (${driver}:231:19)`,
    '{"code":"ECONNREFUSED","status":503}',
    `{"kid":"${random('kid')}"}`,
    `{"kind":"grant.revoked","grant_id":"${random('grant')}"}`,
    `{"kind":"client.deleted","by":"${random('client')}"}`,
  ])('is in the log line %s', async (line) => {
    expect(await inLogs(line)).toEqual([]);
  });

  it('counts because of a comment, which must not switch the search off', async () => {
    expect(await inLogs(`/* secretlint-disable */ ghp_${random('github', 36)}`)).not.toEqual([]);
  });

  it('is too short to be known', () => {
    expect(() => new KnownValues(['short'])).toThrow('fewer than 8 characters');
  });
});

describe('a scan', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-secrets-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));
  const write = (file: string, text: string | Buffer) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), text);
  };

  it('of a tree covers files that are added or not, and none that git ignores', async () => {
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    write('.gitignore', 'ignored\n');
    write('added.ts', `\n\nconst key = '${key}';`);
    execFileSync('git', ['add', 'added.ts'], { cwd: folder });
    write('docs/new.md', `write to ${address}`);
    write('ignored', key);
    write('apps/one/.env', 'PORT=1');
    write('.env.example', 'PORT=1');
    const { findings, files } = (await scanTree(folder, [])) as { findings: string[]; files: number };
    expect(findings).toEqual([
      'apps/one/.env: a file of this name holds secrets and does not belong here',
      `added.ts:3: API key: svc_… (53 characters)`,
      'docs/new.md:1: e-mail address: jane… (18 characters)',
    ]);
    expect(files).toBe(5);
  });

  it('of a tree allows a listed text in its file alone, and refuses a list that is out of date', async () => {
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    write('one.ts', key);
    write('two.ts', key);
    const allowed = [{ text: key, why: 'a test', files: ['one.ts', 'three.ts'] }];
    expect(((await scanTree(folder, allowed)) as { findings: string[] }).findings).toEqual([
      'two.ts:1: API key: svc_… (53 characters)',
      'tools/workspace/secrets/allowed-texts.mjs: three.ts no longer has svc_…',
    ]);
  });

  it('of what images are built from covers files that git ignores, and none that stay out of a build', async () => {
    write('.dockerignore', '# Stays out.\n**/test\n**/*.spec.ts\ndocs\n.data*\n');
    for (const file of ['apps/one/test/a.ts', 'apps/one/src/a.spec.ts', 'docs/a.md', '.data/secrets.json'])
      write(file, key);
    for (const file of ['apps/one/src/testing.ts', 'apps/one/.npmrc', 'apps/docs/a.md']) write(file, key);
    write('libs/one/.env', 'PORT=1');
    const { findings, files } = (await scanContext(folder, [])) as { findings: string[]; files: number };
    expect(findings).toEqual([
      'libs/one/.env: a file of this name holds secrets and does not belong here',
      ...['apps/docs/a.md', 'apps/one/.npmrc', 'apps/one/src/testing.ts'].map(
        (file) => `${file}:1: API key: svc_… (53 characters)`,
      ),
    ]);
    expect(files).toBe(5);
    expect(((await scanContext()) as { findings: string[] }).findings).toEqual([]);
  });

  it('of logs covers every file below the folder, and fails when the folder is missing', async () => {
    write('logs/deep/identity.log', `{"level":"info"}\n{"password":"demo-password-1"}\n`);
    write('logs/core', Buffer.from([0, 1, 2]));
    const { findings, files } = (await scanLogs([join(folder, 'logs')])) as { findings: string[]; files: number };
    expect(findings).toEqual([
      `${join(folder, 'logs/deep/identity.log')}:2: value of a secret name: demo… (15 characters)`,
    ]);
    expect(files).toBe(2);
    const since = { since: '2026-11-23T10:00:00.000Z' };
    write('logs/deep/identity.log', `{"time":"2026-11-23T09:59:59.999Z","password":"demo-password-1"}\n`);
    expect(await scanLogs([join(folder, 'logs')], since)).toMatchObject({ findings: [], files: 2 });
    write('logs/deep/identity.log', `{"time":"2026-11-23T10:00:00.000Z","password":"demo-password-1"}\n`);
    expect(await scanLogs([join(folder, 'logs')], since)).toMatchObject({ findings: [expect.any(String)] });
    await expect(scanLogs([join(folder, 'none')])).rejects.toThrow('does not exist');
  });
});
