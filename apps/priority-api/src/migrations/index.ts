import { profileCalls } from './0001-profile-calls.js';
import { doubtUntil } from './0002-doubt-until.js';
import { retries } from './0003-retries.js';
import { retryCallers } from './0004-retry-callers.js';

export const migrations = [profileCalls, doubtUntil, retries, retryCallers];
