// openapi.json, from the controllers and their DTOs. Part of `npm run gen`.
import { openApiFile } from '@tradewind/service-kit';
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { AppConfig } from './src/app.config.ts';
import { InteractionsController } from './src/jobs-api/interactions.controller.ts';
import { apiDescription } from './src/service.ts';
import { WebhookController } from './src/webhook/webhook.controller.ts';

const document = await openApiFile([InteractionsController, WebhookController], apiDescription, [AppConfig]);
await writeGenerated({ [new URL('openapi.json', import.meta.url).href]: document });
