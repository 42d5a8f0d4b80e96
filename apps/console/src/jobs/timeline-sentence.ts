// The entries of a timeline in words. What a newer service adds is shown as it is.
import type { components } from '../api/interactions.generated';

export type TimelineEntry = Pick<components['schemas']['TimelineEntryDto'], 'kind' | 'details'>;

const calls: Record<string, string> = {
  start: 'Start of a run',
  list: 'Search for the run',
  look: 'Question for the state of the run',
  abort: 'Abort of the run',
  items: 'Download of items',
  cost: 'Question for the cost',
};

export function sentenceOf({ kind, details }: TimelineEntry): string {
  const word = (name: string) => (details[name] === undefined ? undefined : plain(details[name]));
  const join = (...parts: (string | undefined)[]) => parts.filter(Boolean).join(', ');
  switch (kind) {
    case 'transition':
      return join(
        `The job is ${word('status')}`,
        word('stage') && `stage ${word('stage')}`,
        word('run_status') && `the run is ${word('run_status')}`,
        details['abort_requested'] === true ? 'an abort is requested' : undefined,
        typeof details['error'] === 'string' ? details['error'] : undefined,
      );
    case 'provider_call':
      return join(
        `${calls[String(details['operation'])] ?? `Call ${word('operation')}`}: ${word('outcome')}`,
        details['ms'] === undefined ? undefined : `${word('ms')} ms`,
      );
    case 'webhook':
      return join(
        `Webhook ${word('event_type') ?? ''}`.trimEnd() + `: ${word('outcome')}`,
        word('reason'),
        typeof details['by'] === 'string' ? `replayed by ${details['by']}` : undefined,
      );
    default:
      return JSON.stringify(details);
  }
}

const plain = (value: unknown) =>
  (typeof value === 'string' ? value : JSON.stringify(value)).toLowerCase().replaceAll('_', ' ');
