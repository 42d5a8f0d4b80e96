import type { Migration } from '@tradewind/service-kit';
import { tracker } from './migrations/0001-tracker.js';
import { callers } from './migrations/0002-callers.js';
import { costs } from './migrations/0003-costs.js';
import { timeline } from './migrations/0004-timeline.js';
import { reRuns } from './migrations/0005-re-runs.js';
import { repeatedEntries } from './migrations/0006-repeated-entries.js';
import { timelineTriggers } from './migrations/0007-timeline-triggers.js';
import { outcomesByDay } from './migrations/0008-outcomes-by-day.js';
import { handlesByStatus } from './migrations/0009-handles-by-status.js';
import { costsByName } from './migrations/0010-costs-by-name.js';

/** In the order in which they are applied. */
export const migrations: readonly Migration[] = [
  tracker,
  callers,
  costs,
  timeline,
  reRuns,
  repeatedEntries,
  timelineTriggers,
  outcomesByDay,
  handlesByStatus,
  costsByName,
];
