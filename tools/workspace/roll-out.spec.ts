// The order in which deploy/kubernetes/roll-out.sh does things, and where it stops. A stand-in for kubectl notes what
// it is asked and answers as a cluster in the given state would.
import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { apps } from './dockerfiles.mjs';

const script = fileURLToPath(new URL('../../deploy/kubernetes/roll-out.sh', import.meta.url));

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'roll-out-'));
  mkdirSync(join(folder, 'bin'));
});
afterEach(() => rmSync(folder, { recursive: true }));

interface Cluster {
  missingSecret?: string;
  isWithoutCa?: boolean;
  /** What the overlay is rendered to. */
  release?: string;
  /** What the Jobs are at each look, the last one from then on: lines of names and conditions. */
  jobs: string[];
}

const complete = apps.map((app) => `${app}-migrate Complete`).join('\n');

function rollOut(cluster: Cluster, env: Record<string, string> = {}) {
  const stub = `#!${process.execPath}
const { appendFileSync, readFileSync } = require('node:fs');
const cluster = ${JSON.stringify(cluster)};
const words = process.argv.slice(2).join(' ');
appendFileSync(${JSON.stringify(join(folder, 'calls'))}, words + '\\n');
const calls = readFileSync(${JSON.stringify(join(folder, 'calls'))}, 'utf8').split('\\n');
if (words.startsWith('kustomize')) console.log(cluster.release ?? 'kind: List');
if (cluster.isWithoutCa && words.includes('get configmap opensearch-ca')) process.exit(1);
if (cluster.missingSecret && words.includes('get secret ' + cluster.missingSecret)) process.exit(1);
if (words.includes('get job')) {
  const looks = calls.filter((call) => call.includes('get job')).length;
  console.log(cluster.jobs[Math.min(looks, cluster.jobs.length) - 1]);
}
if (words.includes('logs job/')) console.log('column "x" already exists');
`;
  writeFileSync(join(folder, 'bin/kubectl'), stub, { mode: 0o755 });
  const { status, stderr } = spawnSync('sh', [script, 'production'], {
    encoding: 'utf8',
    env: { PATH: `${join(folder, 'bin')}:${process.env['PATH']}`, MIGRATION_POLL_SECONDS: '1', ...env },
  });
  const calls = readFileSync(join(folder, 'calls'), 'utf8').trim().split('\n');
  return { status, stderr, calls, indexOf: (part: RegExp) => calls.findIndex((call) => part.test(call)) };
}

describe('a roll-out', () => {
  it('creates the namespace before it looks for Secrets, and migrates before it starts programs', () => {
    const { status, calls, indexOf } = rollOut({ jobs: [complete.replace(/ Complete$/, ' '), complete] });
    expect(status).toBe(0);
    const order = [
      indexOf(/^kustomize .*overlays\/production$/),
      indexOf(/^apply --filename .*overlays\/production\/namespace.yaml$/),
      indexOf(/^--namespace tradewind-production get secret identity-secrets /),
      indexOf(/delete job --selector tradewind.example\/phase=migrate/),
      indexOf(/^apply --filename \S+ --selector tradewind.example\/phase!=rollout$/),
      indexOf(/get job/),
      calls.findLastIndex((call) => call.includes('get job')),
      calls.findLastIndex((call) => /^apply --filename \S+$/.test(call)),
      indexOf(/rollout status deployment\/identity-service/),
    ];
    expect(order).not.toContain(-1);
    expect(order).toEqual([...order].sort((a, b) => a - b));
    expect(new Set(order).size).toBe(order.length);
    for (const app of apps) {
      expect(indexOf(new RegExp(`get secret ${app}-secrets `))).toBeGreaterThan(0);
      expect(indexOf(new RegExp(`rollout status deployment/${app}-service `))).toBeGreaterThan(0);
    }
  });

  it('looks for the Secrets of OpenSearch, and waits for the feeder, only where the overlay has them', () => {
    const release =
      'name: graphql-gateway-index-follow\nsecretName: opensearch-users\nname: graphql-gateway-feeder-secrets';
    const jobs = [complete];
    const { status, indexOf } = rollOut({ jobs, release });
    expect(status).toBe(0);
    expect(indexOf(/get secret opensearch-users/)).toBeGreaterThan(0);
    expect(indexOf(/rollout status deployment\/graphql-gateway-index-follow/)).toBeGreaterThan(0);
    const without = rollOut({ missingSecret: 'graphql-gateway-feeder-secrets', jobs, release });
    expect(without.stderr).toContain('missing in tradewind-production: graphql-gateway-feeder-secrets.');
    rmSync(join(folder, 'calls'));
    const plain = rollOut({ jobs });
    expect(plain.calls.filter((call) => /secret opensearch|configmap|feeder|index-follow/.test(call))).toEqual([]);
  });

  it('looks for the authority of OpenSearch, without which no pod of the gateway would start', () => {
    const cluster = { release: 'configMap:\n  name: opensearch-ca', jobs: [complete] };
    expect(rollOut(cluster).status).toBe(0);
    const { status, stderr } = rollOut({ ...cluster, isWithoutCa: true });
    expect([status, stderr]).toEqual([1, expect.stringContaining('production: opensearch-ca (a ConfigMap).')]);
  });

  it('changes nothing but the namespace while a Secret is missing, and names it', () => {
    const { status, stderr, calls } = rollOut({ missingSecret: 'priority-api-secrets', jobs: [complete] });
    expect(status).toBe(1);
    expect(stderr).toContain('missing in tradewind-production: priority-api-secrets.');
    expect(calls.filter((call) => /apply|delete/.test(call))).toEqual([expect.stringContaining('namespace.yaml')]);
  });

  it('stops at once when a migration fails, shows its log, and starts no program', () => {
    const running = apps.map((app) => `${app}-migrate `).join('\n');
    const failed = running.replace('interactions-migrate ', 'interactions-migrate FailureTarget Failed');
    const startedAt = Date.now();
    const { status, stderr, calls } = rollOut({ jobs: [running, failed] });
    expect(status).toBe(1);
    expect(Date.now() - startedAt).toBeLessThan(20_000);
    expect(stderr).toContain('interactions-migrate failed. Its log:');
    expect(calls.at(-1)).toContain('logs job/interactions-migrate');
    expect(calls.some((call) => call.includes('rollout status'))).toBe(false);
    expect(calls.filter((call) => /^apply/.test(call))).toHaveLength(2);
  });

  it('gives up when the migrations do not finish', () => {
    const { status, stderr, calls } = rollOut({ jobs: ['identity-migrate '] }, { MIGRATION_SECONDS_MAX: '2' });
    expect(status).toBe(1);
    expect(stderr).toContain('The migrations did not end within 2 s');
    expect(calls.filter((call) => /^apply/.test(call))).toHaveLength(2);
  });
});
