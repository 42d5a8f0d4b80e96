// POST /graphql: the four connections, by API key.
import { Module } from '@nestjs/common';
import { GraphQLModule } from '@nestjs/graphql';
import { Logger } from '@tradewind/service-kit';
import { ApiKeysModule } from '../api-keys/api-keys.module.js';
import { ApiKeysService } from '../api-keys/api-keys.service.js';
import { AuditLogService } from '../api-keys/audit-log.service.js';
import { LastUses } from '../api-keys/last-uses.service.js';
import { AppConfig } from '../app.config.js';
import { Clock } from '../clock.js';
import { AppEvents } from '../events.js';
import { RepeatedRequests } from '../repeated-requests/repeated-requests.js';
import { RecordsModule } from '../records/records.module.js';
import { LimitsModule } from '../rate-limit/limits.module.js';
import { LimitsService } from '../rate-limit/limits.service.js';
import { missingHeader } from '../request/failures.js';
import { dataAdmission } from './admission.js';
import { GatewayDriver, type GatewayDriverConfig } from './gateway.driver.js';
import { GraphQLEndpoint } from './graphql-endpoint.js';
import { operationsPlugin } from './operations.plugin.js';
import { RefusedDocuments } from './refused-documents.js';
import type { RequestContext } from '../request/request-context.js';
import { schemaOptions } from './schema-options.js';

@Module({
  imports: [
    GraphQLModule.forRootAsync<GatewayDriverConfig>({
      driver: GatewayDriver,
      imports: [RecordsModule, LimitsModule, ApiKeysModule],
      inject: [AppConfig, AppEvents, Logger, Clock, LimitsService, ApiKeysService, AuditLogService, LastUses],
      useFactory: (
        config: AppConfig,
        events: AppEvents,
        logger: Logger,
        clock: Clock,
        limits: LimitsService,
        apiKeys: ApiKeysService,
        audit: AuditLogService,
        lastUses: LastUses,
      ) => {
        const refusedDocuments = new RefusedDocuments(limits, clock);
        const repeatedRequests = config.REPEATED_REQUESTS ? new RepeatedRequests() : undefined;
        return {
          ...schemaOptions,
          path: '/graphql',
          include: [RecordsModule],
          operations: operationsPlugin({
            admit: dataAdmission(limits),
            refusedDocuments,
            ...(repeatedRequests && { onRepeatable: (operation) => repeatedRequests.remember(operation) }),
          }),
          endpoint: (server) =>
            new GraphQLEndpoint(
              server,
              {
                name: 'data',
                policy: 'data',
                ...(repeatedRequests && { answerFirst: (context) => repeatedRequests.answer(context) }),
                authenticate: (context) => authenticate(context, apiKeys),
                onAnswer: (context, status) => recordUse(context, status, { audit, lastUses, clock }),
              },
              { limits, refusedDocuments, events, logger },
            ),
        };
      },
    }),
  ],
  // With the schema of these connections, which the explorer shows.
  exports: [GraphQLModule],
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
  { audit, lastUses, clock }: { audit: AuditLogService; lastUses: LastUses; clock: Clock },
): void {
  if (!apiKey) return;
  const at = clock.now();
  if (status !== 429) lastUses.record(apiKey.id, at);
  audit.record({
    at,
    outcome: status === 429 ? 'rate_limited' : 'used',
    keyId: apiKey.id,
    keyPrefix: apiKey.prefix,
    userId: apiKey.userId,
    ip,
    operationName,
  });
}
