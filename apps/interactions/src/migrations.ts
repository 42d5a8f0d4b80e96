import type { Migration } from '@tradewind/service-kit';
import { tracker } from './migrations/0001-tracker.js';
import { callers } from './migrations/0002-callers.js';
import { costs } from './migrations/0003-costs.js';

/** In the order in which they are applied. */
export const migrations: readonly Migration[] = [tracker, callers, costs];
