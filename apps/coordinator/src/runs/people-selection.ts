import { Injectable } from '@nestjs/common';
import { Warehouse } from '@tradewind/cloud-ports';
import { Db } from '@tradewind/service-kit';
import { normaliseNetworkUsername } from '@tradewind/shared-types';
import { AppConfig } from '../app.config.js';
import type { Run } from './run.entity.js';
import type { SelectionCounts } from './run.types.js';
import { RunStopped, RunTakenOver } from './runs.errors.js';
import { RunsStore } from './runs.store.js';
import { SelectionStore, type SelectedPerson } from './selection.store.js';

/** Reads the priority people of the warehouse page by page and turns them into numbered batches. */
@Injectable()
export class PeopleSelection {
  constructor(
    private readonly db: Db,
    private readonly warehouse: Warehouse,
    private readonly runs: RunsStore,
    private readonly selection: SelectionStore,
    private readonly config: AppConfig,
  ) {}

  /**
   * Selects from the beginning. Nothing is published before the last person is read, because messages carry
   * total_batches.
   */
  async select(
    run: Run,
    holder: string,
    options: { signal: AbortSignal; onRead: (people: number) => void },
  ): Promise<void> {
    await this.selection.clear();
    const counts = await this.stage(run, options);
    await this.db.transaction(async (tx) => {
      const numbered = await this.selection.numberBatches(tx, {
        runId: run.runId,
        month: run.month,
        batchProfiles: this.config.BATCH_PROFILES,
        limit: run.limit,
        isForced: run.forced,
        dropsBatches: run.dryRun,
      });
      if (numbered.staged !== counts.staged)
        throw new Error('selected people were lost on the way; the run has to be resumed');
      const isRecorded = await this.runs.recordSelection(tx, {
        runId: run.runId,
        holder,
        counts,
        duplicates: numbered.staged - numbered.distinct,
        publishedBefore: numbered.publishedBefore,
        selected: numbered.selected,
        totalBatches: numbered.totalBatches,
      });
      if (!isRecorded) throw new RunTakenOver(run.runId);
    });
    await this.selection.clear();
  }

  private async stage(
    run: Run,
    { signal, onRead }: { signal: AbortSignal; onRead: (people: number) => void },
  ): Promise<SelectionCounts> {
    const counts: SelectionCounts = { peopleRead: 0, withoutUsername: 0, unusableUsernames: 0, staged: 0 };
    for await (const page of this.warehouse.readPriorityPeople({ pageSize: this.config.READ_PAGE_PEOPLE })) {
      if (signal.aborted) throw new RunStopped(run.runId);
      const people: SelectedPerson[] = [];
      for (const { person_id, network_username } of page) {
        const networkUsername = network_username === null ? undefined : normaliseNetworkUsername(network_username);
        if (network_username === null || network_username.trim() === '') counts.withoutUsername += 1;
        else if (networkUsername === undefined) counts.unusableUsernames += 1;
        else people.push({ personId: person_id, networkUsername });
      }
      if (people.length > 0) await this.selection.stage(run.runId, counts.staged, people);
      counts.staged += people.length;
      counts.peopleRead += page.length;
      onRead(counts.peopleRead);
      // A forced run with a limit need not read everyone. An unforced one does not know yet what was published before.
      if (run.limit !== null && run.forced && (await this.selection.countDistinct(run.runId)) >= run.limit) break;
    }
    return counts;
  }
}
