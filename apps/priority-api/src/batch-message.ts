// Whether a queue message is a batch, partly a batch, or malformed. A malformed one is acknowledged and kept
// (DECISIONS.md, Scraping pipelines). One bad profile does not hold back the good ones beside it.
import { isTooDeep, jsonLevelsMax } from '@tradewind/service-kit';
import {
  isMonth,
  monthFault,
  monthOf,
  normaliseNetworkUsername,
  uuidPattern,
  type Month,
} from '@tradewind/shared-types';

/** The part of the push envelope that is read. Unknown further fields are accepted there. */
export interface PushedMessage {
  data?: unknown;
  attributes?: unknown;
  messageId?: unknown;
  message_id?: unknown;
  publishTime?: unknown;
  publish_time?: unknown;
}

export interface BatchProfile {
  networkUsername: string;
  personId: string;
}

export interface Batch {
  month: Month;
  /** Distinguishes a forced run, which starts everything again, from the monthly one. */
  generation: string;
  batchNumber: number;
  totalBatches: number;
  /** Each handle once. */
  profiles: BatchProfile[];
  /** One sentence for each profile that cannot be started. */
  faults: string[];
}

export type BatchReading =
  | { kind: 'batch'; batch: Batch }
  | { kind: 'malformed'; reason: MalformedReason; message: string; batchNumber: number };

/** A bounded set: it labels a metric. */
export type MalformedReason = 'data' | 'json' | 'attributes' | 'profiles' | 'too_many_profiles';

/** Generation of a message that no forced run has sent. */
export const monthlyGeneration = 'monthly';

/** @param now month of a message that names neither its month nor its time */
export function readBatch(message: PushedMessage, options: { profilesMax: number; now: Date }): BatchReading {
  const attributes = textAttributes(message.attributes);
  const batchNumber = wholeNumber(attributes['batch_number']);
  const totalBatches = wholeNumber(attributes['total_batches']);
  const malformed = (reason: MalformedReason, text: string): BatchReading => ({
    kind: 'malformed',
    reason,
    message: text,
    batchNumber: batchNumber ?? 0,
  });
  const text = decodeBase64(message.data);
  if (text === undefined) return malformed('data', 'message.data must be UTF-8 text in base64');
  const body = parseJson(text);
  if (body === undefined) return malformed('json', `message.data must hold JSON of at most ${jsonLevelsMax} levels`);
  if (batchNumber === undefined)
    return malformed('attributes', 'message.attributes.batch_number must be a whole number as text');
  if (totalBatches === undefined)
    return malformed('attributes', 'message.attributes.total_batches must be a whole number as text');
  const entries = isRecord(body) ? body['profiles'] : undefined;
  if (!Array.isArray(entries) || entries.length === 0)
    return malformed('profiles', 'profiles must be a list with at least one profile');
  if (entries.length > options.profilesMax) {
    return malformed(
      'too_many_profiles',
      `profiles must hold at most ${options.profilesMax} profiles, not ${entries.length}`,
    );
  }
  const month = attributes['month'] ?? monthOfPublishing(message, options.now);
  if (!isMonth(month, options.now))
    return malformed('attributes', `message.attributes.month ${monthFault(month, options.now)}`);
  const generation = attributes['forced_run_id'] ?? monthlyGeneration;
  if (generation !== monthlyGeneration && !uuidPattern.test(generation))
    return malformed('attributes', 'message.attributes.forced_run_id must be a UUID');
  const { profiles, faults } = readProfiles(entries);
  if (profiles.length === 0) return malformed('profiles', faults.join('; '));
  return { kind: 'batch', batch: { month, generation, batchNumber, totalBatches, profiles, faults } };
}

/** The id under which the queue knows the message; undefined when the sender is no queue. */
export function messageIdOf(message: PushedMessage): string | undefined {
  const id = message.messageId ?? message.message_id;
  return typeof id === 'string' && id !== '' ? id : undefined;
}

function readProfiles(entries: readonly unknown[]): { profiles: BatchProfile[]; faults: string[] } {
  const profiles = new Map<string, BatchProfile>();
  const faults: string[] = [];
  entries.forEach((entry, index) => {
    const { network_username: username, person_id: personId } = isRecord(entry) ? entry : {};
    const networkUsername = typeof username === 'string' ? normaliseNetworkUsername(username) : undefined;
    if (networkUsername === undefined)
      faults.push(`profiles.${index}.network_username must be the handle of a profile`);
    else if (typeof personId !== 'string' || !uuidPattern.test(personId))
      faults.push(`profiles.${index}.person_id must be a UUID`);
    else if (!profiles.has(networkUsername)) profiles.set(networkUsername, { networkUsername, personId });
  });
  return { profiles: [...profiles.values()], faults };
}

/** The month in which the queue took the message, or in which it arrived when its time is not usable. */
function monthOfPublishing(message: PushedMessage, now: Date): Month {
  const text = message.publishTime ?? message.publish_time;
  const time = typeof text === 'string' ? new Date(text) : now;
  const month = Number.isNaN(time.getTime()) ? undefined : monthOf(time);
  return isMonth(month, now) ? month : monthOf(now);
}

/** Undefined for what is not base64 of UTF-8. Both alphabets and missing padding are fine. */
export function decodeBase64(data: unknown): string | undefined {
  if (typeof data !== 'string' || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(data)) return undefined;
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(data, 'base64'));
  } catch {
    return undefined;
  }
}

/** Undefined for what is not JSON, and for JSON that is nested too deep. */
export function parseJson(text: string): unknown {
  try {
    const value = JSON.parse(text) as unknown;
    return isTooDeep(text, value) ? undefined : value;
  } catch {
    return undefined;
  }
}

/** The coordinator counts from 1; another publisher may count from 0. */
function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}

function textAttributes(attributes: unknown): Record<string, string> {
  if (!isRecord(attributes)) return {};
  return Object.fromEntries(
    Object.entries(attributes).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
