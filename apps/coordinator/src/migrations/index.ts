import { runs } from './0001-runs.js';
import { selectedAt } from './0002-selected-at.js';
import { messagesUncompressed } from './0003-messages-uncompressed.js';

export const migrations = [runs, selectedAt, messagesUncompressed];
