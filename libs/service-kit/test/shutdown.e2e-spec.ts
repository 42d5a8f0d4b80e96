// A service as a process of its own: how it starts, refuses to start, and ends.
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { connect } from 'node:net';
import { afterEach, describe, expect, it } from '@jest/globals';
import { serviceProcesses } from './service-process.js';

describe('a service process', () => {
  const { run, start: startProcess, killAll } = serviceProcesses();
  afterEach(killAll);

  async function output(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
    const text = { stdout: '', stderr: '' };
    child.stdout!.on('data', (chunk: Buffer) => (text.stdout += chunk.toString()));
    child.stderr!.on('data', (chunk: Buffer) => (text.stderr += chunk.toString()));
    const code = await new Promise<number | null>((resolve) => child.once('close', resolve));
    return { code, ...text };
  }

  it.each(['SIGTERM', 'SIGINT'] as const)(
    'on %s finishes the requests at hand, takes no more, and ends on its own',
    async (signal) => {
      const service = await startProcess();
      // Neither an idle connection nor one that was never used holds up the end.
      await fetch(`${service.url}/greeting`);
      const unused = connect(Number(new URL(service.url).port), '127.0.0.1');
      await once(unused, 'connect');
      const slow = fetch(`${service.url}/slow`);
      await until(() => service.log.some(({ message }) => message === 'slow request began'));
      service.process.kill(signal);
      const response = await slow;
      expect(response.status).toBe(200);
      expect(await response.json()).toEqual({ done: true });
      const { code } = await service.ended;
      expect(code).toBe(0);
      expect(service.log.at(-1)).toMatchObject({ message: 'stopped' });
      await expect(fetch(`${service.url}/health`)).rejects.toThrow();
    },
  );

  it('serves for DRAIN_DELAY_MS without being ready, and asks its clients to close connections', async () => {
    const service = await startProcess({ DRAIN_DELAY_MS: '1500' });
    const startedAt = performance.now();
    service.process.kill('SIGTERM');
    await until(() => service.log.some(({ message }) => message === 'stopping'));
    const ready = await fetch(`${service.url}/ready`);
    expect({ status: ready.status, connection: ready.headers.get('connection') }).toEqual({
      status: 503,
      connection: 'close',
    });
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    // Longer than the time that stopping may take: that begins after the delay.
    const slow = await fetch(`${service.url}/slow`);
    expect({ status: slow.status, connection: slow.headers.get('connection') }).toEqual({
      status: 200,
      connection: 'close',
    });
    expect(await service.ended).toMatchObject({ code: 0 });
    expect(performance.now() - startedAt).toBeGreaterThan(1400);
  });

  it('cuts off requests that do not end, still writes its buffers, and ends with code 1', async () => {
    const service = await startProcess({ SHUTDOWN_TIMEOUT_MS: '1000' });
    const endless = fetch(`${service.url}/endless`).catch((error: Error) => error.message);
    await until(() => service.log.some(({ message }) => message === 'endless request began'));
    service.process.kill('SIGTERM');
    expect(await endless).toBe('fetch failed');
    expect(await service.ended).toMatchObject({ code: 1 });
    const messages = service.log.map(({ message }) => message);
    expect(messages).toContain('buffers are written');
    expect(service.log.find(({ level }) => level === 'error')).toMatchObject({
      err: { message: 'requests did not end in time, and were cut off' },
    });
  });

  it('ends with code 1 when stopping takes longer than it may', async () => {
    const service = await startProcess({ SHUTDOWN_TIMEOUT_MS: '300' });
    await fetch(`${service.url}/hold-buffers`);
    service.process.kill('SIGTERM');
    expect(await service.ended).toMatchObject({ code: 1 });
    expect(service.log.find(({ level }) => level === 'error')).toMatchObject({ timeout_ms: 300 });
  });

  it('ends at once on a second signal', async () => {
    const service = await startProcess();
    const endless = fetch(`${service.url}/endless`).catch(() => undefined);
    await until(() => service.log.some(({ message }) => message === 'endless request began'));
    service.process.kill('SIGINT');
    await until(() => service.log.some(({ message }) => message === 'stopping'));
    service.process.kill('SIGINT');
    expect(await service.ended).toMatchObject({ code: 130 });
    await endless;
  });

  it('logs an unhandled rejection and continues, and ends after an uncaught exception', async () => {
    const service = await startProcess();
    await fetch(`${service.url}/forgotten`);
    await until(() => service.log.some(({ message }) => message === 'a promise was rejected and nobody handled it'));
    expect((await fetch(`${service.url}/health`)).status).toBe(200);
    await fetch(`${service.url}/uncaught`);
    expect(await service.ended).toMatchObject({ code: 1 });
    // A fatal line is written at once and may overtake the lines before it.
    expect(service.log.find(({ level }) => level === 'fatal')).toMatchObject({
      err: { message: 'nobody catches this' },
    });
  });

  it('names every broken setting on standard error and ends with code 1', async () => {
    const { code, stderr } = await output(run([], { ENVIRONMENT: 'production', GREETING_COUNT: 'many' }));
    expect(code).toBe(1);
    expect(stderr).toContain('example cannot start. 2 settings are wrong:');
    expect(stderr).toContain('GREETING_COUNT  must be an integer, not "many"');
    expect(stderr).toContain('EXAMPLE_SECRET  is missing');
  });

  it('says which address is taken and ends with code 1', async () => {
    const service = await startProcess();
    const { port } = new URL(service.url);
    const { code, stderr } = await output(run([], { ENVIRONMENT: 'dev', PORT: port, METRICS_PORT: '0' }));
    expect(code).toBe(1);
    expect(stderr).toContain(`EADDRINUSE: address already in use 127.0.0.1:${port}`);
  });

  it('runs an operator command with the app and without its port, and refuses an unknown one', async () => {
    const known = await output(run(['greet', '--name', 'Ada'], { ENVIRONMENT: 'dev', PORT: '1' }));
    expect(known).toMatchObject({ code: 0, stdout: 'Hello Ada, 1 time\n' });
    const unknown = await output(run(['dance'], { ENVIRONMENT: 'dev' }));
    expect(unknown.code).toBe(1);
    expect(unknown.stderr).toContain("unknown command 'dance'");
    const help = await output(run(['greet', '--help'], { ENVIRONMENT: 'dev' }));
    expect(help).toMatchObject({ code: 0, stderr: '', stdout: expect.stringContaining('--name <name>') });
  });

  it('runs a batch of operator commands until one fails', async () => {
    const lines = ['["greet","--name","Ada"]', '["greet","--name","nobody"]', '["greet","--name","Ada"]'].join('\n');
    expect(await output(run(['batch'], { ENVIRONMENT: 'dev' }, lines))).toEqual({
      code: 1,
      stdout: 'Hello Ada, 1 time\n',
      stderr: 'Line 2 failed, and no line after it ran.\nexample: nobody cannot be greeted\n',
    });
  });
});

async function until(isTrue: () => boolean): Promise<void> {
  const deadline = Date.now() + 10_000;
  while (!isTrue()) {
    if (Date.now() > deadline) throw new Error('waited in vain');
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
