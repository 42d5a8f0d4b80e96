import { profileCalls } from './migrations/0001-profile-calls.js';
import { doubtUntil } from './migrations/0002-doubt-until.js';
import { retries } from './migrations/0003-retries.js';
import { retryCallers } from './migrations/0004-retry-callers.js';
import { startFence } from './migrations/0005-start-fence.js';
import { failuresInARow } from './migrations/0006-failures-in-a-row.js';
import { handledDeadLetters } from './migrations/0007-handled-dead-letters.js';
import { deadLetterDigests } from './migrations/0008-dead-letter-digests.js';

export const migrations = [
  profileCalls,
  doubtUntil,
  retries,
  retryCallers,
  startFence,
  failuresInARow,
  handledDeadLetters,
  deadLetterDigests,
];
