import { Module, type DynamicModule } from '@nestjs/common';
import { ObjectStore, Warehouse, createObjectStore, createWarehouse } from '@tradewind/cloud-ports';
import { CallerAuthModule, DatabaseModule } from '@tradewind/service-kit';
import { AdminProfilesController } from './administration/admin-profiles.controller.js';
import { AdminUnusableController } from './administration/admin-unusable.controller.js';
import { AppConfig } from './app.config.js';
import { DependencyProbes } from './dependency-probes.js';
import { DeliveriesController } from './deliveries/deliveries.controller.js';
import { DeliveriesService } from './deliveries/deliveries.service.js';
import { AppEvents } from './events.js';
import { DeliveriesStore } from './deliveries/deliveries.store.js';
import { migrations } from './migrations.js';
import { MonthsController } from './deliveries/months.controller.js';
import { ProfilesController } from './profiles/profiles.controller.js';
import { ProfilesService } from './profiles/profiles.service.js';
import { Retention } from './retention.js';
import { ProfileStoringService } from './deliveries/profile-storing.service.js';
import { UnusablePayload } from './unusable/unusable-payload.entity.js';
import { UnusablePayloadsStore } from './unusable/unusable-payloads.store.js';

/** The features in the order in which a profile passes through them. */
@Module({})
export class AppModule {
  static forRoot(): DynamicModule {
    return {
      module: AppModule,
      imports: [DatabaseModule.forRoot({ migrations, entities: [UnusablePayload] }), CallerAuthModule],
      controllers: [
        DeliveriesController,
        ProfilesController,
        MonthsController,
        AdminProfilesController,
        AdminUnusableController,
      ],
      providers: [
        AppEvents,
        { provide: Warehouse, inject: [AppConfig], useFactory: (config: AppConfig) => createWarehouse(config) },
        { provide: ObjectStore, inject: [AppConfig], useFactory: (config: AppConfig) => createObjectStore(config) },
        DependencyProbes,
        DeliveriesStore,
        UnusablePayloadsStore,
        DeliveriesService,
        ProfileStoringService,
        ProfilesService,
        Retention,
      ],
    };
  }
}
