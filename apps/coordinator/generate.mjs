// openapi.json, from the controllers and their DTOs. Part of `npm run gen`.
import { openApiFile } from '@tradewind/service-kit';
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { AppConfig } from './src/app.config.ts';
import { MonthReportController } from './src/month-report/month-report.controller.ts';
import { RunsController } from './src/runs/runs.controller.ts';
import { SchedulerAuthenticator } from './src/runs/scheduler-or-caller.guard.ts';
import { apiDescription } from './src/service.ts';

const document = await openApiFile([RunsController, MonthReportController], apiDescription, [
  SchedulerAuthenticator,
  AppConfig,
]);
await writeGenerated({ [new URL('openapi.json', import.meta.url).href]: document });
