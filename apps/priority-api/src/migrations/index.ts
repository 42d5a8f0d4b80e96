import { profileCalls } from './0001-profile-calls.js';
import { doubtUntil } from './0002-doubt-until.js';

export const migrations = [profileCalls, doubtUntil];
