import { fileURLToPath } from 'node:url';
import { describe, expect, it } from '@jest/globals';
import { reloadReport, restarting, sourceFolders } from './reload.js';

it('npm run dev watches the sources of a service and of the libs that it imports, and no others', () => {
  const rootDir = fileURLToPath(new URL('../../../', import.meta.url));
  const libs = (names: string[]) => names.map((name) => `libs/${name}/src`);
  expect(sourceFolders(rootDir, 'identity').sort()).toEqual(
    ['apps/identity/src', ...libs(['service-kit', 'shared-types'])].sort(),
  );
  expect(sourceFolders(rootDir, 'graphql-gateway')).toContain('libs/filters/src');
  expect(sourceFolders(rootDir, 'interactions')).not.toContain('libs/filters/src');
});

describe('what npm run dev shows of a service', () => {
  const entry = (fields: object) => JSON.stringify({ level: 'info', message: 'text', ...fields });

  it('is how long each reload took', () => {
    let nowMs = 5_000;
    const shown = reloadReport('identity', () => nowMs);
    expect(shown(entry({ message: 'service started' }))).toBeUndefined();
    expect(shown(restarting)).toBeUndefined();
    nowMs += 1_234;
    expect(shown(entry({ message: 'service started' }))).toBe('identity reloaded in 1.2 s');
    expect(shown(entry({ message: 'service started' }))).toBeUndefined();
  });

  it('is warnings, errors with their stack, and what is not a log entry', () => {
    const shown = reloadReport('identity');
    expect(shown(entry({}))).toBeUndefined();
    expect(shown(entry({ level: 'warn', message: 'slow' }))).toBe('identity: warn slow');
    expect(shown(entry({ level: 'error', err: { stack: 'Error: no\n    at a.ts:1:2' } }))).toBe(
      'identity: error Error: no\n    at a.ts:1:2',
    );
    expect(shown('SyntaxError: Unexpected token')).toBe('identity: SyntaxError: Unexpected token');
    for (const noise of ['Debugger listening on ws://127.0.0.1:4500/1', '']) expect(shown(noise)).toBeUndefined();
  });
});
