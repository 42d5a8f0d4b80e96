import { deliveries } from './0001-deliveries.js';

export const migrations = [deliveries];
