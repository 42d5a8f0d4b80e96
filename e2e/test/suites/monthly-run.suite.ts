import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { call, until } from '../../src/http.js';
import type { PlatformProcess } from '../../src/platform-process.js';

interface Report {
  is_complete: boolean;
  selected: number;
  stored: number;
  backed_up: number;
}
interface LedgerSummary {
  profiles: { started: number; targets: number; startedTwice: unknown[]; undelivered: number };
}

export function describeMonthlyRun(platform: () => PlatformProcess): void {
  describe('monthly run', () => {
    const summary = async () =>
      (await call<LedgerSummary>('GET', `${platform().url('simulator')}/ledger/summary`)).body;

    it('brings every priority person to warehouse and backup, even when the provider misbehaves', async () => {
      await call('PUT', `${platform().url('simulator')}/faults`, {
        body: {
          faults: [
            { on: 'profile.start', kind: 'rate_limited', retryAfterSeconds: 1, times: 5 },
            { on: 'profile.start', kind: 'error_before', times: 3, skip: 10 },
            { on: 'profile.start', kind: 'error_after', times: 3, skip: 20 },
            { on: 'profile.webhook', kind: 'twice', probability: 0.1 },
          ],
        },
      });
      const run = await call<{ month: string; outcome: string }>('POST', `${platform().url('coordinator')}/run`, {
        body: {},
      });
      expect(run.status).toBe(202);
      expect(run.body.outcome).toBe('started');
      const report = await until('the month to be complete', 240_000, async () => {
        const { status, body } = await call<Report>(
          'GET',
          `${platform().url('coordinator')}/months/${run.body.month}/report?names=0`,
        );
        return status === 200 && body.is_complete && body.selected > 0 ? body : undefined;
      });
      await call('DELETE', `${platform().url('simulator')}/faults`);
      expect(report.selected).toBeGreaterThanOrEqual(200);
      expect(report).toMatchObject({ stored: report.selected, backed_up: report.selected });

      const { profiles } = await summary();
      expect(profiles).toMatchObject({ targets: report.selected, startedTwice: [] });

      const database = new pg.Client({ connectionString: platform().databaseUrl });
      await database.connect();
      try {
        const { rows } = await database.query<{ resource: string }>(
          `select distinct "requestResource" as resource from warehouse.scraped_profile_calls
           where "requestType" = 'SCRAPER_API_PERSON' and "requestStatus" = 'SUCCESS'`,
        );
        expect(rows).toHaveLength(report.selected);
        const files = readdirSync(join(platform().dataDir, 'objects/scraper-monthly-priority-people')).map((file) =>
          decodeURIComponent(file),
        );
        for (const { resource } of rows) {
          expect(files.some((file) => file.startsWith(`${resource}_`) && /_\d{14}(-\d+)?\.json$/.test(file))).toBe(
            true,
          );
        }
      } finally {
        await database.end();
      }
    }, 300_000);

    it('a second run of the month publishes nothing and starts nothing', async () => {
      const before = await summary();
      const run = await call<{ outcome: string }>('POST', `${platform().url('coordinator')}/run`, { body: {} });
      expect([run.status, run.body.outcome]).toEqual([202, 'already_published']);
      expect((await summary()).profiles.started).toBe(before.profiles.started);
    });
  });
}
