// What a webhook body is: a scraped profile, a failure, or nothing we can use. The reading is tolerant (cloud.md,
// section 5): unknown fields are accepted, and a profile without content is a failure.
import { usernameOfProfileUrl } from '@tradewind/shared-types';

export type ProfilePayload =
  | { kind: 'profile'; networkUsername: string }
  | { kind: 'failure'; networkUsername: string; reason: string }
  | { kind: 'unusable'; reason: UnusableReason; message: string };

/** A bounded set: it labels a metric. */
export type UnusableReason = 'not_an_object' | 'url_missing' | 'url_unusable' | 'data_missing';

/** Longest text of a provider that is kept as a reason. */
const reasonLengthMax = 500;

/** Statuses by which a provider says that there is no profile in the body. */
const failureStatuses = new Set([
  'error',
  'failed',
  'failure',
  'not_found',
  'timeout',
  'timed-out',
  'timed_out',
  'aborted',
]);

export function readProfilePayload(body: unknown): ProfilePayload {
  if (!isRecord(body)) return unusable('not_an_object', 'body must be an object');
  if (body['url'] === undefined || body['url'] === null) return unusable('url_missing', 'url should not be empty');
  if (typeof body['url'] !== 'string') return unusable('url_unusable', 'url must be a string');
  const networkUsername = usernameOfProfileUrl(body['url']);
  if (networkUsername === undefined) {
    return unusable(
      'url_unusable',
      'url must be the address of a profile, such as https://www.linkedin.com/in/jane-doe',
    );
  }
  const reason = failureReason(body);
  const data = body['data'];
  if (data !== undefined && data !== null && !isRecord(data)) return unusable('data_missing', 'data must be an object');
  if (data === undefined || data === null) {
    return reason === undefined
      ? unusable('data_missing', 'data should not be empty')
      : { kind: 'failure', networkUsername, reason };
  }
  const failure = reason ?? failureReason(data);
  if (failure !== undefined) return { kind: 'failure', networkUsername, reason: failure };
  return hasContent(data['profile'])
    ? { kind: 'profile', networkUsername }
    : { kind: 'failure', networkUsername, reason: 'the provider sent no profile' };
}

/** The failure that the provider reports; undefined when it reports none. */
function failureReason(part: Record<string, unknown>): string | undefined {
  const { error, status, success, message } = part;
  if (typeof error === 'string' && error.trim() !== '') return shorten(error);
  if (isRecord(error)) return shorten(typeof error['message'] === 'string' ? error['message'] : JSON.stringify(error));
  if (error === true || success === false)
    return shorten(typeof message === 'string' ? message : 'the provider reported an error');
  if (typeof status === 'string' && failureStatuses.has(status.toLowerCase())) {
    return shorten(typeof message === 'string' && message.trim() !== '' ? `${status}: ${message}` : status);
  }
  return undefined;
}

function hasContent(profile: unknown): boolean {
  return (
    isRecord(profile) && Object.values(profile).some((value) => value !== null && value !== undefined && value !== '')
  );
}

function unusable(reason: UnusableReason, message: string): ProfilePayload {
  return { kind: 'unusable', reason, message };
}

/** The text as the column can hold it: without NUL and lone surrogates, even where it is cut. */
function shorten(text: string): string {
  return text
    .replaceAll('\u0000', '')
    .trim()
    .slice(0, reasonLengthMax)
    .replace(/\p{Cs}/gu, '\uFFFD');
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
