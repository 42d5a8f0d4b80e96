// openapi.json, from the controllers and their DTOs. Part of `npm run gen`.
import { openApiFile } from '@tradewind/service-kit';
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { AppConfig } from './src/app.config.ts';
import { DeliveriesController } from './src/deliveries/deliveries.controller.ts';
import { MonthsController } from './src/deliveries/months.controller.ts';
import { ProfilesController } from './src/profiles/profiles.controller.ts';
import { apiDescription } from './src/service.ts';

const document = await openApiFile([DeliveriesController, ProfilesController, MonthsController], apiDescription, [
  AppConfig,
]);
await writeGenerated({ [new URL('openapi.json', import.meta.url).href]: document });
