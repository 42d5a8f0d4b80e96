// Dead letters as an operator reads them on a terminal. Their content is untrusted, so it is made printable.
import { printable, textTable, utcText } from '@tradewind/service-kit';
import { decodeBase64, parseJson } from '../batch-message.js';
import type { DeadLetter } from './dead-letter.entity.js';
import type { DeadLetterPage } from './dead-letters.store.js';

/** Widths of the last two columns, characters: a row fits a wide terminal. */
const reasonWidth = 48;
const contentWidth = 60;
/** Handles that a summary names. */
const namesShown = 3;

/** A table of the page, and the command for the next one. */
export function deadLetterTable({ letters, hasMore }: DeadLetterPage<DeadLetter>, withHandled: boolean): string {
  const kind = withHandled ? 'dead letters' : 'open dead letters';
  const last = letters.at(-1);
  if (!last) return `Nothing here: there are no more ${kind}.`;
  const rows = letters.map((letter) => [
    letter.id,
    utcText(letter.last_received_at),
    String(letter.deliveries),
    stateOf(letter),
    shortened(printable(letter.reason), reasonWidth),
    shortened(contentSummary(letter.message), contentWidth),
  ]);
  const table = textTable(['id', 'received (UTC)', 'times', 'state', 'reason', 'content'], rows, '');
  const footer = hasMore
    ? `More ${kind}: dead-letter list --after ${last.id}${withHandled ? ' --all' : ''}`
    : `These are the last ${kind}.`;
  return [table, '', footer, 'One in full: dead-letter show ID'].join('\n');
}

/** One dead letter with its content decoded. */
export function deadLetterDetails(letter: DeadLetter): string {
  const { attributes } = fieldsOf(letter.message);
  const content = contentOf(letter.message);
  const facts = [
    ['id', letter.id],
    ['message id', letter.message_id ?? 'none'],
    ['reason', letter.reason],
    ['first received', letter.first_received_at.toISOString()],
    ['last received', letter.last_received_at.toISOString()],
    ['times received', String(letter.deliveries)],
    ['redriven', byWhom(letter.redriven_at, letter.redriven_by)],
    ['dropped', byWhom(letter.dropped_at, letter.dropped_by, letter.drop_reason)],
    ['attributes', JSON.stringify(attributes) ?? 'none'],
  ] as const;
  const lines = facts.map(([name, value]) => `${name.padEnd(15)} ${printable(value)}`);
  const shown = content.kind === 'json' ? JSON.stringify(content.value, null, 2) : content.text;
  return [
    ...lines,
    content.kind === 'not_decodable' ? 'content as it came, which is no text in base64:' : 'content, decoded:',
    ...shown.split('\n').map(printable),
  ].join('\n');
}

/** The content in a few words: how many profiles and whose, or the beginning of the text. */
function contentSummary(message: unknown): string {
  const content = contentOf(message);
  if (content.kind === 'not_decodable') return `no text in base64: ${printable(content.text)}`;
  if (content.kind !== 'json') return printable(content.text) || 'empty';
  const { profiles } = fieldsOf(content.value);
  if (!Array.isArray(profiles)) return printable(JSON.stringify(content.value));
  const names = profiles.slice(0, namesShown).map((profile) => {
    const { network_username: name } = fieldsOf(profile);
    return typeof name === 'string' ? printable(name) : '?';
  });
  const more = profiles.length > namesShown ? ', …' : '';
  return `${profiles.length} ${profiles.length === 1 ? 'profile' : 'profiles'}: ${names.join(', ')}${more}`;
}

export const stateOf = ({
  redriven_at,
  dropped_at,
}: Pick<DeadLetter, 'redriven_at' | 'dropped_at'>): 'redriven' | 'dropped' | 'open' =>
  redriven_at ? 'redriven' : dropped_at ? 'dropped' : 'open';

const byWhom = (at: Date | null, by: string | null, why?: string | null): string =>
  at ? [at.toISOString(), `by ${by ?? 'nobody known'}`, ...(why ? [`because: ${why}`] : [])].join(' ') : 'no';

type Content = { kind: 'json'; value: unknown } | { kind: 'text' | 'not_decodable'; text: string };

export function contentOf(message: unknown): Content {
  const { data } = fieldsOf(message);
  const text = decodeBase64(data);
  if (text === undefined)
    return { kind: 'not_decodable', text: typeof data === 'string' ? data : (JSON.stringify(data) ?? 'none') };
  const value = parseJson(text);
  return value === undefined ? { kind: 'text', text } : { kind: 'json', value };
}

export function fieldsOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

function shortened(text: string, width: number): string {
  return text.length <= width ? text : `${text.slice(0, width - 1)}…`;
}
