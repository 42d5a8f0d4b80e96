// Asks before something that cannot be undone.
import { Button, Group, Text } from '@mantine/core';
import { useState, type ReactNode } from 'react';
import { Dialog } from './dialog';
import { Problem } from './states';

export function Confirm({
  title,
  text,
  action,
  onClose,
  onConfirm,
}: {
  title: string;
  text: ReactNode;
  action: string;
  onClose: () => void;
  onConfirm: () => Promise<unknown>;
}) {
  const [error, setError] = useState<Error>();
  const [isBusy, setIsBusy] = useState(false);
  const confirm = async () => {
    setIsBusy(true);
    setError(undefined);
    try {
      await onConfirm();
      onClose();
    } catch (failure) {
      setError(failure as Error);
      setIsBusy(false);
    }
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <Text component="div" mb="md">
        {text}
      </Text>
      {error && <Problem error={error} />}
      <Group justify="flex-end" mt="md">
        <Button variant="default" onClick={onClose}>
          Cancel
        </Button>
        <Button className="danger" color="red.9" loading={isBusy} onClick={() => void confirm()}>
          {action}
        </Button>
      </Group>
    </Dialog>
  );
}
