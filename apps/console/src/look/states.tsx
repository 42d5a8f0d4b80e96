// The states that every screen has: waiting, empty, refused, failed.
import { Button, Group, Loader, Text, Title } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { ApiError } from '../api/api';

export function Waiting({ what }: { what: string }) {
  return (
    <div className="empty" role="status">
      <Loader size="sm" aria-hidden /> <Text>{what}</Text>
    </div>
  );
}

export function Empty({ children }: { children: ReactNode }) {
  return <div className="card empty">{children}</div>;
}

/** What went wrong, in the sentence of the service, and what may help. */
export function Problem({
  error,
  title,
  onRetry,
  children,
}: {
  error: Error;
  /** When the status alone does not say it. */
  title?: string;
  onRetry?: () => void;
  /** What helps instead of another try. */
  children?: ReactNode;
}) {
  const { status, requestId } = error instanceof ApiError ? error : { status: undefined, requestId: undefined };
  return (
    <div className="problem" role="alert">
      <Title order={2} size="h4" c="var(--tw-bad)">
        {title ??
          (status === 403 ? 'You may not see this' : status === 404 ? 'This does not exist' : 'This did not work')}
      </Title>
      <Text>{error.message}</Text>
      {requestId !== undefined && (
        <Text size="sm">
          Request id: <code>{requestId}</code>
        </Text>
      )}
      {onRetry && status !== 403 && status !== 404 && (
        <Button mt="xs" variant="default" onClick={onRetry}>
          Try again
        </Button>
      )}
      {children}
    </div>
  );
}

/** A query in all its states. `isEmpty` says whether an answer holds nothing to show. */
export function Answer<T>({
  query,
  waiting,
  empty,
  isEmpty = () => false,
  children,
}: {
  query: UseQueryResult<T>;
  waiting: string;
  empty?: ReactNode;
  isEmpty?: (data: T) => boolean;
  children: (data: T) => ReactNode;
}) {
  if (query.isPending) return <Waiting what={waiting} />;
  if (query.isError) return <Problem error={query.error} onRetry={() => void query.refetch()} />;
  if (isEmpty(query.data)) return <Empty>{empty}</Empty>;
  return children(query.data);
}

/** Next page, and back to the first. Cursors lead forwards alone, so the browser's Back leads backwards. */
export function Pages({ first, next }: { first: ReactNode; next: ReactNode }) {
  if (!first && !next) return null;
  return (
    <Group component="nav" aria-label="Pages" mt="sm">
      {first}
      {next}
    </Group>
  );
}

export function Heading({ title, lead, actions }: { title: string; lead?: ReactNode; actions?: ReactNode }) {
  return (
    <Group justify="space-between" align="flex-start" mb="md">
      <div style={{ minWidth: 0 }}>
        <Title order={1} size="h2">
          {title}
        </Title>
        {lead && <Text c="dimmed">{lead}</Text>}
      </div>
      {actions}
    </Group>
  );
}

const tones: Record<string, 'good' | 'bad' | 'warn' | 'busy'> = {
  ...{ COMPLETED: 'good', active: 'good', current: 'good', ready: 'good' },
  ...{ FAILED: 'bad', disabled: 'bad', revoked: 'bad', not_ready: 'bad' },
  ...{ ABORTED: 'warn', expired: 'warn', degraded: 'warn' },
  ...{ PENDING: 'busy', RUNNING: 'busy' },
  ...{ published: 'good', published_in_part: 'warn' },
  ...{ open: 'warn', redriven: 'good', lost: 'bad', refused: 'bad', pending: 'busy', starting: 'busy' },
  ...{ selecting: 'busy', publishing: 'busy', completed: 'good', SUCCESS: 'good' },
  // Of the history of a key.
  ...{ used: 'good', created: 'busy', rate_limited: 'warn' },
  ...{ refused_expired: 'warn', refused_revoked: 'warn', refused_unknown: 'warn' },
  // Of the plans of actions on jobs.
  ...{ would_start: 'busy', would_abort: 'busy', started: 'good', abort_requested: 'good' },
  ...{ ended: 'warn', over_budget: 'bad' },
};

/** A state in words, with a colour beside them. */
export function Tag({ state }: { state: string }) {
  return (
    <span className="tag" data-tone={tones[state]}>
      {state.toLowerCase().replaceAll('_', ' ')}
    </span>
  );
}

/** A moment in the person's own time zone; the exact one on hover and for machines. */
export function Moment({ at, isWithSeconds = false }: { at: string | null | undefined; isWithSeconds?: boolean }) {
  if (!at) return <>–</>;
  return (
    <time dateTime={at} title={at}>
      {new Date(at).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: isWithSeconds ? 'medium' : 'short' })}
    </time>
  );
}
