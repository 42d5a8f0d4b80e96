import { Module } from '@nestjs/common';
import { createWarehouse, Warehouse } from '@tradewind/cloud-ports';
import { createRunProvider, RunProvider } from '@tradewind/scraping-provider';
import { CallerAuthModule, DatabaseModule, ReadinessRegistry } from '@tradewind/service-kit';
import { AdminBudgetsController } from './administration/admin-budgets.controller.js';
import { AdminJobsController } from './administration/admin-jobs.controller.js';
import { AdminWebhooksController } from './administration/admin-webhooks.controller.js';
import { BulkJobs } from './administration/bulk-jobs.service.js';
import { AppConfig } from './app.config.js';
import { BudgetsService } from './budgets/budgets.service.js';
import { BudgetsStore } from './budgets/budgets.store.js';
import { AppEvents } from './events.js';
import { FinalCosts } from './follow/final-costs.service.js';
import { FollowService } from './follow/follow.service.js';
import { ItemsService } from './items/items.service.js';
import { LeftOversStore } from './items/left-overs.store.js';
import { AbortsService } from './jobs-api/aborts.service.js';
import { InteractionsController } from './jobs-api/interactions.controller.js';
import { InteractionsService } from './jobs-api/interactions.service.js';
import { JobItemsService } from './jobs-api/job-items.service.js';
import { TriggersService } from './jobs-api/triggers.service.js';
import { migrations } from './migrations.js';
import { Retention } from './retention.js';
import { OrphanRuns } from './starts/orphan-runs.js';
import { ProviderPauseStore } from './starts/provider-pause.store.js';
import { StartsService } from './starts/starts.service.js';
import { UnsettledStarts } from './starts/unsettled-starts.service.js';
import { CostsStore } from './tracker/costs.store.js';
import { JobChanges } from './tracker/job-changes.js';
import { JobWaits } from './tracker/job-waits.js';
import { ProviderCalls } from './tracker/provider-calls.js';
import { TimelineNotes } from './tracker/timeline-notes.js';
import { TimelineStore } from './tracker/timeline.store.js';
import { DayTotalsStore } from './tracker/day-totals.store.js';
import { JobsStore } from './tracker/jobs.store.js';
import { TransitionsStore } from './tracker/transitions.store.js';
import { InboxService } from './webhook/inbox.service.js';
import { InboxStore } from './webhook/inbox.store.js';
import { WebhookController } from './webhook/webhook.controller.js';

@Module({
  imports: [DatabaseModule.forRoot({ migrations }), CallerAuthModule],
  controllers: [
    InteractionsController,
    WebhookController,
    AdminJobsController,
    AdminWebhooksController,
    AdminBudgetsController,
  ],
  providers: [
    AppEvents,
    {
      provide: RunProvider,
      inject: [AppConfig],
      useFactory: (config: AppConfig) => createRunProvider(config),
    },
    {
      provide: Warehouse,
      inject: [AppConfig, ReadinessRegistry],
      useFactory: async (config: AppConfig, readiness: ReadinessRegistry) => {
        const warehouse = await createWarehouse(config);
        readiness.add({
          name: 'warehouse',
          probe: () => warehouse.ping(),
          isEssential: false,
          why: 'runs start and end; their items stay with the provider and are stored later',
        });
        return warehouse;
      },
    },
    // The tracker
    CostsStore,
    JobsStore,
    TransitionsStore,
    TimelineStore,
    DayTotalsStore,
    TimelineNotes,
    ProviderCalls,
    JobChanges,
    JobWaits,
    Retention,
    // What companies may spend
    BudgetsStore,
    BudgetsService,
    // From the request to the run
    InteractionsService,
    JobItemsService,
    TriggersService,
    AbortsService,
    ProviderPauseStore,
    StartsService,
    UnsettledStarts,
    OrphanRuns,
    // From the end of the run to the data
    InboxStore,
    InboxService,
    FollowService,
    FinalCosts,
    LeftOversStore,
    ItemsService,
    // Administration
    BulkJobs,
  ],
})
export class AppModule {}
