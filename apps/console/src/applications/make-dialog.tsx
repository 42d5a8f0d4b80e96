// A new application. Its secret is shown once.
import { Button, Group, NativeSelect, Stack, Text, TextInput } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { Secret } from '../look/secret';
import { Problem } from '../look/states';
import { TextLink } from '../look/text-link';
import { creationOf, noFields } from './application-fields';
import { ApplicationForm } from './application-form';

const authMethods = {
  client_secret_post: 'a secret, in the body',
  client_secret_basic: 'a secret, by HTTP Basic',
  none: 'no secret: it runs in a browser or on a device',
};

export function MakeDialog({ onClose }: { onClose: () => void }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [id, setId] = useState('');
  const [authMethod, setAuthMethod] = useState('client_secret_post');
  const [fields, setFields] = useState(noFields);
  const make = useMutation({
    mutationFn: () => bodyOf(api.identity.POST('/admin/clients', { body: creationOf(fields, { id, authMethod }) })),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['applications'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Dialog title="Make an application" size="lg" isKept onClose={onClose}>
      {make.isSuccess ? (
        <Stack>
          <Text role="status">
            The application is{' '}
            <TextLink to="/applications/$clientId" params={{ clientId: make.data.client_id }}>
              {make.data.client_id}
            </TextLink>
            .
          </Text>
          {make.data.client_secret !== null && <Secret value={make.data.client_secret} what="the secret" />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Done
            </Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label="Client id"
              description="Letters, digits and . _ ~ -; random when empty"
              maxLength={200}
              pattern="[A-Za-z0-9._~\-]+"
              data-autofocus
              value={id}
              onChange={({ target }) => setId(target.value)}
            />
            <NativeSelect
              label="It proves who it is by"
              value={authMethod}
              onChange={({ target }) => setAuthMethod(target.value)}
              data={Object.entries(authMethods).map(([value, label]) => ({ value, label }))}
            />
            <ApplicationForm fields={fields} known={[]} onChange={setFields} />
            {make.isError && <Problem error={make.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={make.isPending}>
                Make the application
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
