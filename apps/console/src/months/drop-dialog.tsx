// Puts something aside for good, with the reason.
import { Button, Group, Stack, Text, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { Dialog } from '../look/dialog';
import { Problem } from '../look/states';

/** As the services have it. */
const reasonCharsMax = 500;

export function DropDialog({
  title,
  text,
  onClose,
  onDrop,
}: {
  title: string;
  text: string;
  onClose: () => void;
  onDrop: (reason: string) => Promise<unknown>;
}) {
  const [reason, setReason] = useState('');
  const drop = useMutation({ mutationFn: () => onDrop(reason.trim()), onSuccess: onClose });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (reason.trim() !== '') drop.mutate();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{text}</Text>
          <TextInput
            label="Reason"
            required
            maxLength={reasonCharsMax}
            data-autofocus
            value={reason}
            onChange={({ target }) => setReason(target.value)}
          />
          {drop.isError && <Problem error={drop.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" className="danger" color="red.9" loading={drop.isPending}>
              Drop
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
