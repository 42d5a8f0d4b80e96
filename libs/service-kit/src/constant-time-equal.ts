import { hash, timingSafeEqual } from 'node:crypto';

/** Whether two secrets are equal. The time it takes reveals nothing about the secrets, not even their lengths. */
export function constantTimeEqual(one: string, other: string): boolean {
  return timingSafeEqual(sha256(one), sha256(other));
}

function sha256(text: string): Buffer {
  return hash('sha256', text, 'buffer');
}
