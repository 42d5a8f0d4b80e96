import { Module, type DynamicModule } from '@nestjs/common';
import { PushAuthenticator, createPushAuthenticator } from '@tradewind/cloud-ports';
import { ProfileProvider, createProfileProvider } from '@tradewind/scraping-provider';
import { CallerAuthModule, DatabaseModule } from '@tradewind/service-kit';
import { AdminAttentionController } from './administration/admin-attention.controller.js';
import { AdminDeadLettersController } from './administration/admin-dead-letters.controller.js';
import { AdminProfileCallsController } from './administration/admin-profile-calls.controller.js';
import { AppConfig } from './app.config.js';
import { BatchMessagesStore } from './batches/batch-messages.store.js';
import { BatchesController } from './batches/batches.controller.js';
import { BatchesService } from './batches/batches.service.js';
import { DeadLetterRedrive } from './batches/dead-letter-redrive.js';
import { DeadLettersService } from './dead-letters/dead-letters.service.js';
import { DeadLetter } from './dead-letters/dead-letter.entity.js';
import { DeadLettersStore } from './dead-letters/dead-letters.store.js';
import { DeliveriesClient } from './delivery-watch/deliveries.client.js';
import { DeliveryWatch } from './delivery-watch/delivery-watch.js';
import { WatchedCallsStore } from './profile-calls/watched-calls.store.js';
import { AppEvents } from './events.js';
import { migrations } from './migrations.js';
import { MonthsController } from './months/months.controller.js';
import { MonthsService } from './months/months.service.js';
import { UnsettledCalls } from './profile-calls/unsettled-calls.js';
import { ProfileCallsStore } from './profile-calls/profile-calls.store.js';
import { ProfileStarter } from './profile-calls/profile-starter.js';
import { Retention } from './retention.js';

/** The features in the order in which a batch passes through them. */
@Module({})
export class AppModule {
  static forRoot(): DynamicModule {
    return {
      module: AppModule,
      imports: [DatabaseModule.forRoot({ migrations, entities: [DeadLetter] }), CallerAuthModule],
      controllers: [
        BatchesController,
        MonthsController,
        AdminDeadLettersController,
        AdminProfileCallsController,
        AdminAttentionController,
      ],
      providers: [
        AppEvents,
        {
          provide: PushAuthenticator,
          inject: [AppConfig],
          useFactory: (config: AppConfig) => createPushAuthenticator(config),
        },
        {
          provide: ProfileProvider,
          inject: [AppConfig],
          useFactory: (config: AppConfig) => createProfileProvider(config),
        },
        BatchMessagesStore,
        BatchesService,
        DeadLetterRedrive,
        DeadLettersStore,
        DeadLettersService,
        ProfileCallsStore,
        ProfileStarter,
        UnsettledCalls,
        WatchedCallsStore,
        DeliveriesClient,
        DeliveryWatch,
        MonthsService,
        Retention,
      ],
    };
  }
}
