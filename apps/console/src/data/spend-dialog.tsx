// Asks before a data call is spent.
import { Button, Group, Text } from '@mantine/core';
import { Dialog } from '../look/dialog';
import { Moment } from '../look/states';
import type { CallsLeft } from './data-api';

export function SpendDialog({
  callsLeft,
  askedAt,
  isNext,
  onClose,
  onSpend,
}: {
  callsLeft: CallsLeft | undefined;
  /** When the same was asked before. */
  askedAt: string | undefined;
  isNext: boolean;
  onClose: () => void;
  onSpend: () => void;
}) {
  return (
    <Dialog title="Spend one data call?" onClose={onClose}>
      <Text mb="xs">
        {isNext ? 'The next page' : 'The first page'} costs one call.{' '}
        {callsLeft
          ? `You have ${callsLeft.remaining.toLocaleString('en')} of ${callsLeft.limit.toLocaleString('en')} left today.`
          : 'How many are left today is not known yet.'}
      </Text>
      {askedAt !== undefined && (
        <Text c="dimmed" size="sm">
          You asked the same <Moment at={askedAt} isWithSeconds />. Its records are still on this page.
        </Text>
      )}
      <Group justify="flex-end" mt="lg">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button data-autofocus onClick={onSpend}>
          Spend one call
        </Button>
      </Group>
    </Dialog>
  );
}
