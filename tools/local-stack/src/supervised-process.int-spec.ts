import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { SupervisedProcess } from './supervised-process.js';

const nothing = 'data:text/javascript,';

describe('a supervised process', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-supervised-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  function run(source: string, readyUrl = 'http://127.0.0.1:1'): { process: SupervisedProcess; logFile: string } {
    const entry = join(folder, 'program.mjs');
    const logFile = join(folder, 'program.log');
    writeFileSync(entry, source);
    const process = new SupervisedProcess(
      { name: 'program', entry, nodeOptions: [], env: {}, readyUrl, logFile },
      nothing,
    );
    return { process, logFile };
  }

  it('keeps all output of its last moment, however much it is', async () => {
    const lines = 20_000;
    const { process, logFile } = run(`
      const text = Array.from({ length: ${lines} }, (_, line) => 'last words, line ' + (line + 1) + '\\n').join('');
      process.on('SIGTERM', () => process.stdout.write(text, () => process.exit(0)));
      process.stdout.write('waiting\\n');
      setInterval(() => undefined, 1000);
    `);
    while (!process.lastLines.includes('waiting')) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(await process.stop()).toBe(true);
    expect(process.lastLines.at(-1)).toBe(`last words, line ${lines}`);
    expect(readFileSync(logFile, 'utf8').trim().split('\n').at(-1)).toBe(`last words, line ${lines}`);
  });

  it('reports how it ended when it ends before it is ready', async () => {
    const { process } = run('console.error("no good"); process.exit(3);');
    await expect(process.untilReady()).rejects.toThrow('program ended (exit code 3)');
    expect(process.lastLines).toEqual(['no good']);
  });

  it('is ready once its address answers 200', async () => {
    const server = createServer((_request, response) => response.end('ready'));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    // The address of a server that listens on a port.
    const { port } = server.address() as AddressInfo;
    const { process } = run('setInterval(() => undefined, 1000)', `http://127.0.0.1:${port}`);
    await process.untilReady();
    expect(await process.stop()).toBe(true);
    server.close();
  });
});
