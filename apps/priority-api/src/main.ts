import { runService } from '@tradewind/service-kit';
import { service } from './service.js';

void runService(service);
