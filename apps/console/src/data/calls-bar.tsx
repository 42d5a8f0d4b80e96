// Always in view: what is left of the day, the key that is asked with, and the button that asks.
import { Button, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useConsole } from '../console-context';
import { Moment } from '../look/states';
import type { CallsLeft } from './data-api';
import { putKeyAway, useKeyInUse } from './key-in-use';

export function CallsBar({
  callsLeft,
  isWaiting,
  error,
  isBusy,
  onChangeKey,
  onAsk,
}: {
  callsLeft: CallsLeft | undefined;
  isWaiting: boolean;
  error: Error | null;
  isBusy: boolean;
  onChangeKey: () => void;
  onAsk: () => void;
}) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const key = useKeyInUse();
  const putAway = useMutation({
    mutationFn: () => putKeyAway(api),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['keys'] }),
  });
  const isSpent = callsLeft?.remaining === 0;
  return (
    <section className="card calls-bar" aria-label="Data calls and key">
      <div className="calls-left">
        {callsLeft ? (
          <>
            <Text fw={650}>
              {callsLeft.remaining.toLocaleString('en')} of {callsLeft.limit.toLocaleString('en')} calls left today
            </Text>
            <Text size="sm" c="dimmed" className="only-wide">
              Full again <Moment at={new Date(callsLeft.resetsAtMs).toISOString()} />
            </Text>
          </>
        ) : (
          <Text c="dimmed">{unknownText(isWaiting, error, key?.isOwn === false)}</Text>
        )}
      </div>
      <div className="key-in-use">
        {key ? (
          <>
            <Text size="sm">
              <span className="only-wide">Key </span>
              <code>{key.begins}…</code>
            </Text>
            <Button size="compact-sm" variant="default" loading={putAway.isPending} onClick={() => putAway.mutate()}>
              {key.id === undefined ? 'Forget' : 'Revoke'}
            </Button>
          </>
        ) : (
          <Button size="compact-sm" variant="default" onClick={onChangeKey}>
            Set a key
          </Button>
        )}
      </div>
      <Button loading={isBusy} disabled={isSpent} onClick={onAsk}>
        Ask
      </Button>
      {putAway.isError && (
        <Text role="alert" size="sm" c="var(--tw-bad)" className="calls-note">
          The key could not be revoked: {putAway.error.message}
        </Text>
      )}
    </section>
  );
}

function unknownText(isWaiting: boolean, error: Error | null, isOfOther: boolean): string {
  if (isOfOther) return 'Calls of another user: known after the first one';
  if (error) return `The calls left are not known: ${error.message}`;
  return isWaiting ? 'Loading the calls left' : 'The calls left are not known';
}
