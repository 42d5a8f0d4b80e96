// POST /auth/graphql: logging in and creating API keys.
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { Logger } from '@tradewind/service-kit';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { Clock } from '../clock.js';
import { AppEvents } from '../events.js';
import { LoginModule } from '../login/login.module.js';
import { LimitsModule } from '../rate-limit/limits.module.js';
import { LimitsService } from '../rate-limit/limits.service.js';
import { authAdmission } from './admission.js';
import { GatewayDriver, type GatewayDriverConfig } from './gateway.driver.js';
import { GraphQLEndpoint } from './graphql-endpoint.js';
import { operationsPlugin } from './operations.plugin.js';
import { RefusedDocuments } from './refused-documents.js';
import { schemaOptions } from './schema-options.js';

@Module({
  imports: [
    GraphQLModule.forRootAsync<GatewayDriverConfig>({
      driver: GatewayDriver,
      imports: [LoginModule, LimitsModule],
      inject: [AppEvents, Logger, Clock, LimitsService],
      useFactory: (events: AppEvents, logger: Logger, clock: Clock, limits: LimitsService) => {
        const refusedDocuments = new RefusedDocuments(limits, clock);
        return {
          ...schemaOptions,
          path: '/auth/graphql',
          include: [LoginModule, ApiKeysModule],
          operations: operationsPlugin({ admit: authAdmission(limits), refusedDocuments }),
          endpoint: (server) =>
            new GraphQLEndpoint(
              server,
              { name: 'auth', policy: 'requests', authenticate: null },
              { limits, refusedDocuments, events, logger },
            ),
        };
      },
    }),
    ApiKeysModule,
  ],
})
export class AuthApiModule {}
