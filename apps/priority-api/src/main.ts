import { runService } from '@tradewind/service-kit';
import { service } from './service.js';

await runService(service);
