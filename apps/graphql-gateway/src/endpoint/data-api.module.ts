// POST /graphql: the four connections, by API key.
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { Logger } from '@tradewind/service-kit';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { AuditLogService } from '../api-keys/audit-log.service.js';
import { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import type { ConnectionField } from '../connections/connection-field.port.js';
import { ConnectionsService } from '../connections/connections.service.js';
import { AppEvents } from '../events.js';
import { recordResolvers, RecordsModule } from '../records/records.module.js';
import { LimitsModule } from '../rate-limit/limits.module.js';
import { LimitsService } from '../rate-limit/limits.service.js';
import { admissionPlugin, dataAdmission, missingHeader } from './admission.plugin.js';
import { GatewayDriver, type GatewayDriverConfig } from './gateway.driver.js';
import { GraphQLEndpoint } from './graphql-endpoint.js';
import { KnownOperations } from './known-operations.js';
import { RefusedDocuments } from './refused-documents.js';
import type { RequestContext } from '../request/request-context.js';
import { schemaOptions } from './schema-options.js';
import { ShortWay } from './short-way.js';

@Module({
  imports: [
    GraphQLModule.forRootAsync<GatewayDriverConfig>({
      driver: GatewayDriver,
      imports: [RecordsModule, LimitsModule, ApiKeysModule],
      inject: [
        AppConfig,
        AppEvents,
        Logger,
        Clock,
        LimitsService,
        ApiKeysService,
        AuditLogService,
        ConnectionsService,
        ...recordResolvers,
      ],
      useFactory: (
        config: AppConfig,
        events: AppEvents,
        logger: Logger,
        clock: Clock,
        limits: LimitsService,
        apiKeys: ApiKeysService,
        audit: AuditLogService,
        connections: ConnectionsService,
        ...fields: ConnectionField[]
      ) => {
        const admit = dataAdmission(limits, fields);
        const operations = new KnownOperations(fields, connections);
        const refusedDocuments = new RefusedDocuments(limits, clock);
        return {
          ...schemaOptions,
          path: '/graphql',
          include: [RecordsModule],
          gatewayPlugins: [admissionPlugin(admit), operations.plugin, refusedDocuments.plugin],
          endpoint: (server) =>
            new GraphQLEndpoint(
              server,
              {
                name: 'data',
                policy: 'data',
                authenticate: (context) => authenticate(context, apiKeys),
                shortWay: config.KNOWN_OPERATIONS ? new ShortWay(operations, admit) : null,
                onAnswer: (context, status) => recordUse(context, status, audit, clock),
              },
              { limits, refusedDocuments, events, logger },
            ),
        };
      },
    }),
  ],
})
export class DataApiModule {}

async function authenticate(context: RequestContext, apiKeys: ApiKeysService): Promise<void> {
  const { authorization } = context.request.headers;
  if (authorization === undefined) throw missingHeader('an API key');
  const key = await apiKeys.authenticate(/^Bearer +(\S+)$/i.exec(authorization)?.[1] ?? '', context.ip);
  context.apiKey = key;
  context.user = { id: key.userId, email: key.userEmail };
}

function recordUse(
  { apiKey, ip, operationName }: RequestContext,
  status: number,
  audit: AuditLogService,
  clock: Clock,
): void {
  if (!apiKey) return;
  audit.record({
    at: clock.now(),
    outcome: status === 429 ? 'rate_limited' : 'used',
    keyId: apiKey.id,
    keyPrefix: apiKey.prefix,
    userId: apiKey.userId,
    ip,
    operationName,
  });
}
