import { hash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are the same, in a time that tells nothing about where or whether they differ, not even in length. */
export function constantTimeEqual(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
