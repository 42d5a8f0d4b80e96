// The operator commands as an operator runs them: from the built program, beside the serving processes.
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import { monthOf } from '@tradewind/shared-types';
import { startPipeline, type Pipeline, type Report } from './pipeline.js';

jest.setTimeout(240_000);
const month = monthOf(new Date());

let pipeline: Pipeline;
beforeAll(async () => {
  pipeline = await startPipeline({ replicas: 1 });
  await pipeline.addPeople(['ada', 'grace', 'fails', 'refused']);
  pipeline.simulator.setFaults([
    { on: 'profile', kind: 'fail', target: 'fails', times: 1 },
    { on: 'profile.start', kind: 'error_before', status: 422, target: 'refused', times: 1 },
  ]);
});
afterAll(() => pipeline.close());

describe('the commands of a month', () => {
  it('run, report and retry until the month is complete', async () => {
    const [coordinator] = pipeline.of('coordinator');
    const dry = await coordinator!.command('run', '--dry-run');
    expect(dry).toMatchObject({ code: 0, stderr: '' });
    expect(dry.stdout).toContain('Would publish: 4 profiles in 1 batches');

    const run = await coordinator!.command('run', '--month', month);
    expect(run).toMatchObject({ code: 0, stderr: '' });
    expect(run.stdout).toContain('Published: 4 profiles in 1 batches');
    const again = await coordinator!.command('run');
    expect(again.code).toBe(0);
    expect(again.stdout).toContain('nothing new is published unless forced');

    const standing = await until(
      (report) =>
        report.stored === 2 &&
        report.failed === 1 &&
        report.missing_profiles.some(({ reason }) => reason.startsWith('not started: 422')),
    );
    expect(standing.missing).toBe(2);
    const report = await coordinator!.command('report', '--names');
    expect(report.code).toBe(1);
    expect(report.stdout).toMatch(/missing fails \(.{36}\): the provider failed: profile_not_found/);
    expect(report.stdout).toMatch(/missing refused \(.{36}\): not started: 422/);

    const [api] = pipeline.of('priority-api');
    const own = await api!.command('profiles', 'retry-missing', '--month', month);
    expect(JSON.parse(own.stdout)).toMatchObject({ month, dry_run: false, started: 2, on_their_way: 0, done: 2 });
    // Another request starts nothing: both are on their way, or done.
    for (const again of await Promise.all([
      api!.command('profiles', 'retry-missing'),
      coordinator!.command('retry-missing'),
      coordinator!.command('retry-missing'),
    ])) {
      expect(again.code).toBe(0);
      expect(again.stdout).toMatch(/started"?:?\s+0|"started":0/);
    }
    await until((now) => now.is_complete);
    expect((await coordinator!.command('report')).code).toBe(0);
    const starts = pipeline.simulator.ledger({ operation: 'profile.start', effect: true }).map(({ target }) => target);
    expect(starts.sort()).toEqual(['ada', 'fails', 'fails', 'grace', 'refused']);
    expect(pipeline.simulator.summary().profiles.startedTwice).toEqual([]);

    const [webhook] = pipeline.of('priority-webhook');
    const status = await webhook!.command('profile', 'status', 'ADA');
    expect(JSON.parse(status.stdout)).toMatchObject({ network_username: 'ada', requestStatus: 'SUCCESS' });
  });

  it('refuse wrong arguments with a sentence and exit code 1', async () => {
    const [coordinator] = pipeline.of('coordinator');
    const [wrong, impossible, everybody] = await Promise.all([
      coordinator!.command('report', '--month', '2026-01'),
      coordinator!.command('run', '--month', '0000-01'),
      coordinator!.command('run', '--limit', '2000000000'),
    ]);
    expect(wrong).toMatchObject({ code: 1, stderr: 'coordinator: There is no run of 2026-01\n' });
    expect(impossible.code).toBe(1);
    expect(impossible.stderr).toContain('--month must lie between 2000-01 and');
    expect(everybody.code).toBe(1);
    expect(everybody.stderr).toContain('expected at most 1000000');
  });
});

describe('dead letters', () => {
  it('are listed in pages, shown decoded, and redriven once they are valid', async () => {
    const [api] = pipeline.of('priority-api');
    const none = await api!.command('dead-letter', 'list');
    expect(none).toMatchObject({ code: 0, stdout: 'Nothing here: there are no more open dead letters.\n' });
    const profiles = Array.from({ length: 2 }, (_, index) => ({
      network_username: `late-${index}`,
      person_id: '6f1f3a52-7f0a-4a51-9d3c-0a5a7a0d0001',
    }));
    const push = (body: unknown, messageId: string) =>
      fetch(`${api!.url}/batch-trigger/`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: 'Bearer dev-only-queue-push-token' },
        body: JSON.stringify({
          message: {
            data: Buffer.from(JSON.stringify(body)).toString('base64'),
            attributes: { batch_number: '1', total_batches: '1' },
            messageId,
          },
        }),
      });
    expect((await push({ people: [] }, 'hopeless')).status).toBe(200);
    expect((await push({ profiles: Array.from({ length: 101 }, () => profiles[0]) }, 'too-large')).status).toBe(200);
    const page = (await api!.command('dead-letter', 'list', '--limit', '1')).stdout;
    expect(page).toMatch(/^id +received \(UTC\) +times +state +reason +content\n/);
    expect(page).toContain('101 profiles: late-0, late-0, late-0, …');
    const next = /\nMore open dead letters: dead-letter list --after (\d+)\n/.exec(page)![1]!;
    const rest = (await api!.command('dead-letter', 'list', '--after', next)).stdout;
    expect(rest).toContain('{"people":[]}');
    expect(rest).toContain('These are the last open dead letters.');
    const hopelessId = /^(\d+) /m.exec(rest)![1]!;
    const [shown, unknown, tooMany, hopeless] = await Promise.all([
      api!.command('dead-letter', 'show', hopelessId),
      api!.command('dead-letter', 'show', '999999'),
      api!.command('dead-letter', 'list', '--limit', '100000'),
      api!.command('dead-letter', 'redrive', hopelessId),
    ]);
    expect(shown.stdout).toMatch(/^message id +hopeless$/m);
    expect([unknown.code, tooMany.code]).toEqual([1, 1]);
    // Shows what the command said instead, if it failed in another way.
    expect(hopeless).toMatchObject({ code: 1, stdout: expect.stringContaining('"redriven"') });
    expect(JSON.parse(hopeless.stdout)).toMatchObject({
      redriven: false,
      reason: expect.stringContaining('profiles must be a list'),
    });
    const larger = await api!.with({ BATCH_PROFILES_MAX: '200' }).command('dead-letter', 'redrive');
    const results = larger.stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as { redriven: boolean });
    expect(results.map(({ redriven }) => redriven)).toEqual([true, false]);
    expect((await api!.command('dead-letter', 'list')).stdout).not.toContain('late-0');
    expect(pipeline.simulator.ledger({ operation: 'profile.start', effect: true, target: 'late-0' })).toHaveLength(1);
  });

  it('queue ensure creates the queue once and finds it correct afterwards', async () => {
    const [coordinator] = pipeline.of('coordinator');
    const first = await coordinator!.command('queue', 'ensure');
    expect(first).toMatchObject({ code: 0, stderr: '' });
    expect(first.stdout).toMatch(/^(created|matches) {2}\S.*network-scraping-batches/m);
    const second = await coordinator!.command('queue', 'ensure');
    expect(second.code).toBe(0);
    expect(second.stdout).not.toContain('created');
  });
});

async function until(isReached: (report: Report) => boolean): Promise<Report> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { status, body } = await pipeline.request<Report>('GET', `/months/${month}/report`);
    if (status === 200 && isReached(body)) return body;
    if (Date.now() > deadline) throw new Error(`the month does not get there: ${JSON.stringify(body)}`);
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
