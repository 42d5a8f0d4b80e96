import { runs } from './migrations/0001-runs.js';
import { selectedAt } from './migrations/0002-selected-at.js';
import { messagesUncompressed } from './migrations/0003-messages-uncompressed.js';
import { superseded } from './migrations/0004-superseded.js';
import { callers } from './migrations/0005-callers.js';
import { latestRuns } from './migrations/0006-latest-runs.js';

export const migrations = [runs, selectedAt, messagesUncompressed, superseded, callers, latestRuns];
