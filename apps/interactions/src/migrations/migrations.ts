import type { Migration } from '@tradewind/service-kit';
import { tracker } from './0001-tracker.js';

/** In the order in which they are applied. */
export const migrations: readonly Migration[] = [tracker];
