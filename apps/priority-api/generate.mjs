// openapi.json, from the controllers and their DTOs. Part of `npm run gen`.
import { PushAuthenticator } from '@tradewind/cloud-ports';
import { openApiFile } from '@tradewind/service-kit';
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { AdminAttentionController } from './src/administration/admin-attention.controller.ts';
import { AdminDeadLettersController } from './src/administration/admin-dead-letters.controller.ts';
import { AdminProfileCallsController } from './src/administration/admin-profile-calls.controller.ts';
import { AppConfig } from './src/app.config.ts';
import { BatchesController } from './src/batches/batches.controller.ts';
import { MonthsController } from './src/months/months.controller.ts';
import { apiDescription } from './src/service.ts';

const controllers = [
  BatchesController,
  MonthsController,
  AdminDeadLettersController,
  AdminProfileCallsController,
  AdminAttentionController,
];
const document = await openApiFile(controllers, apiDescription, [PushAuthenticator, AppConfig]);
await writeGenerated({ [new URL('openapi.json', import.meta.url).href]: document });
