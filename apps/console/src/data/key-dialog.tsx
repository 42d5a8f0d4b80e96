// The key that the screen asks with: made here for a day, or pasted. It stays in memory.
import { Button, Group, PasswordInput, Text } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { Problem } from '../look/states';
import { isGoodKey } from './data-api';
import { takeKey } from './key-in-use';

/** Keys of one person that are compared with a pasted one. */
const ownKeysMax = 200;
const form = /^svc_[0-9A-Za-z]{20,200}$/;

export function KeyDialog({ url, onClose, onTaken }: { url: string; onClose: () => void; onTaken: () => void }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [pasted, setPasted] = useState('');
  const [fault, setFault] = useState<string>();
  // After a lost answer the same button again shows the key that was made.
  const [requestId] = useState(() => crypto.randomUUID());
  const make = useMutation({
    mutationFn: () =>
      bodyOf(
        api.gateway.POST('/keys', {
          params: { header: { 'Idempotency-Key': requestId } },
          body: { name: 'Data screen', expires_in_days: 1 },
        }),
      ),
    onSuccess: ({ key, id }) => {
      takeKey(key, { id, isOwn: true });
      void queries.invalidateQueries({ queryKey: ['keys'] });
      onTaken();
    },
  });
  const paste = useMutation({
    mutationFn: async (key: string) => {
      if (!(await isGoodKey(url, key))) return setFault('The data API does not take this key.');
      const query = { limit: ownKeysMax };
      const { keys, next_cursor: next } = await bodyOf(api.gateway.GET('/keys', { params: { query } }));
      const isOwn = keys.some(({ begins }) => key.startsWith(begins)) || (next === null ? false : undefined);
      takeKey(key, { isOwn });
      onTaken();
    },
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    const key = pasted.trim();
    if (form.test(key)) paste.mutate(key);
    else setFault('An API key begins with svc_ and has letters and digits alone.');
  };
  const isBusy = make.isPending || paste.isPending;
  return (
    <Dialog title="A key for this page" onClose={onClose}>
      <Text mb="md">
        The data API takes API keys. The key stays in the memory of this page until you leave it; it is in no address
        and is not stored.
      </Text>
      <Button data-autofocus fullWidth loading={make.isPending} disabled={isBusy} onClick={() => make.mutate()}>
        Make a key for a day
      </Button>
      {make.isError && (
        <div style={{ marginTop: '0.75rem' }}>
          <Problem error={make.error} />
        </div>
      )}
      <form onSubmit={submit} className="paste-key">
        <PasswordInput
          label="Or paste one that you have"
          autoComplete="off"
          spellCheck={false}
          placeholder="svc_…"
          value={pasted}
          error={fault}
          visibilityToggleButtonProps={{ 'aria-label': 'Show the key' }}
          onChange={({ target }) => {
            setPasted(target.value);
            setFault(undefined);
          }}
        />
        {paste.isError && <Problem error={paste.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button
            type="submit"
            variant="default"
            loading={paste.isPending}
            disabled={pasted.trim() === '' || make.isPending}
          >
            Use this key
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
