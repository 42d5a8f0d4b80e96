import { describe, expect, it } from '@jest/globals';
import pg from 'pg';
import { call } from '../../src/http.js';
import { runDemo, type PlatformProcess } from '../../src/platform-process.js';

export function describeDemo(platform: () => PlatformProcess): void {
  describe('npm run demo', () => {
    const figure = (output: string, row: RegExp) => Number(row.exec(output)?.[1]);

    it('passes twice a day, and its report agrees with ledger and database', async () => {
      const database = new pg.Client({ connectionString: platform().databaseUrl });
      await database.connect();
      try {
        for (let round = 1; round <= 2; round += 1) {
          const { code, output } = await runDemo(platform());
          if (code !== 0) throw new Error(output);
          expect(output).toContain('Everything arrived.');
          expect(output).not.toContain('✗');

          const { rows } = await database.query<{ jobs: string; posts: string; comments: string; reactions: string }>(
            `with demo as (select user_company_id from interactions."network_interactions_trackerDev"
                           where user_company_id like 'demo-%' order by created_at desc limit 1)
             select count(*) filter (where status = 'COMPLETED') jobs, sum(posts_count) posts, sum(comments_count) comments, sum(reactions_count) reactions
             from interactions."network_interactions_trackerDev" where user_company_id = (select user_company_id from demo)`,
          );
          expect(figure(output, /jobs completed\s+(\d+)/)).toBe(Number(rows[0]?.jobs));
          expect(figure(output, /\bposts\s{2,}(\d+)/)).toBe(Number(rows[0]?.posts));
          expect(figure(output, /\bcomments\s{2,}(\d+)/)).toBe(Number(rows[0]?.comments));
          expect(figure(output, /\breactions\s{2,}(\d+)/)).toBe(Number(rows[0]?.reactions));

          const ledger = await call<{
            runs: { startedTwice: unknown[] };
            profiles: { targets: number; startedTwice: unknown[] };
          }>('GET', `${platform().url('simulator')}/ledger/summary`);
          expect([...ledger.body.runs.startedTwice, ...ledger.body.profiles.startedTwice]).toEqual([]);
          expect(figure(output, /in the warehouse\s+(\d+)/)).toBe(ledger.body.profiles.targets);
          expect(figure(output, /in the backup\s+(\d+)/)).toBe(ledger.body.profiles.targets);
        }
      } finally {
        await database.end();
      }
    }, 300_000);
  });
}
