import { deliveries } from './0001-deliveries.js';
import { monthsKept } from './0002-months-kept.js';

export const migrations = [deliveries, monthsKept];
