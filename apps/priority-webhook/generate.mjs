// openapi.json, from the controllers and their DTOs. Part of `npm run gen`.
import { openApiFile } from '@tradewind/service-kit';
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { AdminProfilesController } from './src/administration/admin-profiles.controller.ts';
import { AdminUnusableController } from './src/administration/admin-unusable.controller.ts';
import { AppConfig } from './src/app.config.ts';
import { DeliveriesController } from './src/deliveries/deliveries.controller.ts';
import { MonthsController } from './src/deliveries/months.controller.ts';
import { ProfilesController } from './src/profiles/profiles.controller.ts';
import { apiDescription } from './src/service.ts';

const controllers = [
  DeliveriesController,
  ProfilesController,
  MonthsController,
  AdminProfilesController,
  AdminUnusableController,
];
const document = await openApiFile(controllers, apiDescription, [AppConfig]);
await writeGenerated({ [new URL('openapi.json', import.meta.url).href]: document });
