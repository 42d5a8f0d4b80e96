// openapi.json of the administration API, from its controllers and their DTOs. Part of `npm run gen`.
import { openApiFile } from '@tradewind/service-kit';
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { AdminAuditController } from './src/administration/admin-audit.controller.ts';
import { AdminClientsController } from './src/administration/admin-clients.controller.ts';
import { AdminGrantsController } from './src/administration/admin-grants.controller.ts';
import { AdminSigningKeysController } from './src/administration/admin-signing-keys.controller.ts';
import { AdminUsersController } from './src/administration/admin-users.controller.ts';
import { apiDescription } from './src/service.ts';

const controllers = [
  AdminUsersController,
  AdminClientsController,
  AdminGrantsController,
  AdminSigningKeysController,
  AdminAuditController,
];
const document = await openApiFile(controllers, apiDescription);
await writeGenerated({ [new URL('openapi.json', import.meta.url).href]: document });
