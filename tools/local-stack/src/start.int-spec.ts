// What `npm start` answers before it builds anything.
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';

const program = fileURLToPath(new URL('../start.mjs', import.meta.url));

describe('npm start, when its first port is taken', () => {
  let other: Server | undefined;
  let port: number;
  beforeAll(async () => {
    // A PORT_BASE must leave room for the ports above it.
    do {
      other?.close();
      other = createServer().listen(0, '127.0.0.1');
      await once(other, 'listening');
      port = (other.address() as AddressInfo).port;
    } while (port >= 64_000);
  });
  afterAll(() => {
    other?.close();
  });

  const start = async (...words: string[]) =>
    new Promise((resolve) => {
      const env = { PATH: process.env['PATH'], PORT_BASE: String(port), DATA_DIR: '/nowhere' };
      execFile(process.execPath, [program, ...words], { env }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });

  it.each([
    { words: ['--help'], usage: 'Usage: npm start' },
    { words: ['--dev', '-h'], usage: 'Usage: npm run dev' },
  ])('shows the help for $words', async ({ words, usage }) => {
    expect(await start(...words)).toEqual({ code: 0, stdout: expect.stringContaining(usage), stderr: '' });
  });

  it('names a wrong word, and then the port', async () => {
    expect(await start('--fast')).toMatchObject({ code: 1, stderr: expect.stringContaining('not: --fast') });
    expect(await start()).toMatchObject({ code: 1, stdout: '', stderr: expect.stringContaining(`${port} (identity)`) });
  });
});
