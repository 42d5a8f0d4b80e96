import { deliveries } from './0001-deliveries.js';
import { monthsKept } from './0002-months-kept.js';
import { openDeliveries } from './0003-open-deliveries.js';

export const migrations = [deliveries, monthsKept, openDeliveries];
