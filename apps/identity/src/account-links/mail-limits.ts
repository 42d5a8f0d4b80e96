// How many mails anybody may ask for. Each limit counts what was asked, not what was sent, so that it says nothing
// about accounts.
import { createHash } from 'node:crypto';
import type { AttemptLimit } from '../throttle/attempts.store.js';

const windowSeconds = 3600;
/** More would only fill the mailbox of whoever did not ask. */
const perAddress = 3;
/** An office behind one address needs some. */
const perNetwork = 20;

/** Mails that may wait over all replicas; with the mail server away for a day, so many people have asked. */
export const mailsWaitingMax = 10_000;

export const mailLimits = ({ network, emailKey }: { network: string; emailKey: string }): AttemptLimit[] => [
  // Hashed: the table must not become a list of email addresses that somebody typed.
  { key: `mail to ${createHash('sha256').update(emailKey).digest('base64url')}`, limit: perAddress, windowSeconds },
  { key: `mail from ${network}`, limit: perNetwork, windowSeconds },
];
