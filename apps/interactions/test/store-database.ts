// A migrated database and a Db on it, for tests of one store.
import { openDb, type Db } from '@tradewind/service-kit';
import type { TestDatabase } from '@tradewind/testkit';
import { AppConfig } from '../src/app.config.js';
import { CostsStore } from '../src/tracker/costs.store.js';
import { JobsStore, type NewJobs } from '../src/tracker/jobs.store.js';
import type { JobId } from '../src/tracker/tracker.types.js';
import { createInteractionsDatabase, quickSettings } from './interactions-app.js';

export class StoreDatabase {
  readonly costs: CostsStore;
  readonly jobs: JobsStore;

  private constructor(
    private readonly database: TestDatabase,
    readonly db: Db,
    readonly config: AppConfig,
  ) {
    this.costs = new CostsStore(db, config);
    this.jobs = new JobsStore(db, this.costs, config);
  }

  static async create(settings: Record<string, string> = {}): Promise<StoreDatabase> {
    const database = await createInteractionsDatabase();
    const config = new AppConfig({
      ...quickSettings,
      DATABASE_URL: database.url,
      WAREHOUSE_DATABASE_URL: database.url,
      ...settings,
    });
    return new StoreDatabase(database, await openDb(config), config);
  }

  /** Records queued jobs of one company and gives their ids, in order. */
  async queue(userCompanyId: string, ...handles: string[]): Promise<JobId[]> {
    const jobs = await this.jobs.create(newJobs(userCompanyId, handles));
    return jobs.flatMap((job) => ('id' in job ? [job.id] : []));
  }

  async drop(): Promise<void> {
    await this.db.close();
    await this.database.drop();
  }
}

export function newJobs(userCompanyId: string, handles: readonly string[]): NewJobs {
  return {
    userCompanyId,
    triggerUserId: null,
    deadline: performance.now() + 5_000,
    triggeredBy: null,
    reservedMicroUsd: 330_000,
    budgetMicroUsd: null,
    inputs: handles.map((networkHandle) => ({
      networkHandle,
      entity: 'PERSON' as const,
      postedLimit: 'any' as const,
      maxPosts: 10,
      scrapeReactions: true,
      maxReactions: 5,
      scrapeComments: true,
      maxComments: 5,
      commentsPostedLimit: 'any' as const,
    })),
  };
}
