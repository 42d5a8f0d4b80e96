import { deliveries } from './migrations/0001-deliveries.js';
import { monthsKept } from './migrations/0002-months-kept.js';
import { openDeliveries } from './migrations/0003-open-deliveries.js';
import { droppedUnusable } from './migrations/0004-dropped-unusable.js';
import { openUnusable } from './migrations/0005-open-unusable.js';

export const migrations = [deliveries, monthsKept, openDeliveries, droppedUnusable, openUnusable];
