import { runs } from './0001-runs.js';
import { selectedAt } from './0002-selected-at.js';
import { messagesUncompressed } from './0003-messages-uncompressed.js';
import { superseded } from './0004-superseded.js';
import { callers } from './0005-callers.js';

export const migrations = [runs, selectedAt, messagesUncompressed, superseded, callers];
