import { Module, type DynamicModule } from '@nestjs/common';
import { Queue, Warehouse, createPushAuthenticator, createQueue, createWarehouse } from '@tradewind/cloud-ports';
import { CallerAuthModule, DatabaseModule } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { DependencyProbes } from './dependency-probes.js';
import { AppEvents } from './events.js';
import { migrations } from './migrations.js';
import { MonthReportController } from './month-report/month-report.controller.js';
import { MonthReportService } from './month-report/month-report.service.js';
import { PipelineClients } from './month-report/pipeline.clients.js';
import { PushDelivery } from './push-delivery.js';
import { Retention } from './retention.js';
import { BatchPublishing } from './runs/batch-publishing.js';
import { PeopleSelection } from './runs/people-selection.js';
import { RunLock } from './runs/run-lock.js';
import { Run } from './runs/run.entity.js';
import { RunsController } from './runs/runs.controller.js';
import { RunsService } from './runs/runs.service.js';
import { RunsStore } from './runs/runs.store.js';
import { SchedulerAuthenticator } from './runs/scheduler-or-caller.guard.js';
import { SelectionStore } from './runs/selection.store.js';

/** The features in the order of a month: select, publish, deliver, report. */
@Module({})
export class AppModule {
  static forRoot(): DynamicModule {
    return {
      module: AppModule,
      imports: [DatabaseModule.forRoot({ migrations, entities: [Run] }), CallerAuthModule],
      controllers: [RunsController, MonthReportController],
      providers: [
        AppEvents,
        { provide: Warehouse, inject: [AppConfig], useFactory: (config: AppConfig) => createWarehouse(config) },
        { provide: Queue, inject: [AppConfig], useFactory: (config: AppConfig) => createQueue(config) },
        { provide: SchedulerAuthenticator, inject: [AppConfig], useFactory: schedulerAuthenticator },
        DependencyProbes,
        RunsStore,
        SelectionStore,
        RunLock,
        PeopleSelection,
        BatchPublishing,
        RunsService,
        PushDelivery,
        PipelineClients,
        MonthReportService,
        Retention,
      ],
    };
  }
}

/** Tokens of Cloud Scheduler are accepted on Google Cloud only. */
async function schedulerAuthenticator(config: AppConfig): Promise<SchedulerAuthenticator> {
  const { SCHEDULER_AUDIENCE: audience, SCHEDULER_SERVICE_ACCOUNT: account } = config;
  if (config.CLOUD !== 'google' || !audience || !account) return new SchedulerAuthenticator(undefined);
  return new SchedulerAuthenticator(
    await createPushAuthenticator({ ...config, PUSH_AUDIENCE: audience, PUSH_SERVICE_ACCOUNT: account }),
  );
}
