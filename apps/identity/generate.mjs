// openapi.json of the administration API, from its controllers and their DTOs. Part of `npm run gen`.
import { openApiFile } from '@tradewind/service-kit';
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { AdminClientsController } from './src/administration/admin-clients.controller.ts';
import { AdminUsersController } from './src/administration/admin-users.controller.ts';
import { apiDescription } from './src/service.ts';

const document = await openApiFile([AdminUsersController, AdminClientsController], apiDescription);
await writeGenerated({ [new URL('openapi.json', import.meta.url).href]: document });
