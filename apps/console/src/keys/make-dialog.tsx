// Makes a key, which is shown once.
import { Button, Group, TextInput } from '@mantine/core';
import { useMutation } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { Problem } from '../look/states';

export function MakeDialog({ onClose, onMade }: { onClose: () => void; onMade: (key: string) => void }) {
  const { api } = useConsole();
  const [name, setName] = useState('');
  const [days, setDays] = useState('365');
  // After a lost answer the same form again shows the key that was made.
  const [requestId, setRequestId] = useState(() => crypto.randomUUID());
  const make = useMutation({
    mutationFn: () =>
      bodyOf(
        api.gateway.POST('/keys', {
          params: { header: { 'Idempotency-Key': requestId } },
          body: { name: name.trim(), expires_in_days: Number(days) },
        }),
      ),
    onSuccess: ({ key }) => onMade(key),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Dialog title="Make a key" onClose={onClose}>
      <form onSubmit={submit}>
        <TextInput
          label="Name"
          description="What it is for"
          required
          maxLength={100}
          data-autofocus
          value={name}
          onChange={({ target }) => {
            setName(target.value);
            setRequestId(crypto.randomUUID());
          }}
          mb="md"
        />
        <TextInput
          label="Expires after, days"
          type="number"
          min={1}
          max={365}
          required
          value={days}
          onChange={({ target }) => {
            setDays(target.value);
            setRequestId(crypto.randomUUID());
          }}
          mb="md"
        />
        {make.isError && <Problem error={make.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Make the key
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
