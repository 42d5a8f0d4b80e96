// openapi.json, from the controllers and their DTOs. Part of `npm run gen`.
import { openApiFile } from '@tradewind/service-kit';
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { AdminBudgetsController } from './src/administration/admin-budgets.controller.ts';
import { AdminJobsController } from './src/administration/admin-jobs.controller.ts';
import { AdminWebhooksController } from './src/administration/admin-webhooks.controller.ts';
import { AppConfig } from './src/app.config.ts';
import { InteractionsController } from './src/jobs-api/interactions.controller.ts';
import { apiDescription } from './src/service.ts';
import { WebhookController } from './src/webhook/webhook.controller.ts';

const controllers = [
  InteractionsController,
  WebhookController,
  AdminJobsController,
  AdminWebhooksController,
  AdminBudgetsController,
];
const document = await openApiFile(controllers, apiDescription, [AppConfig]);
await writeGenerated({ [new URL('openapi.json', import.meta.url).href]: document });
