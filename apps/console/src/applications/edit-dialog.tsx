// Changes of an application. Identity changes its metadata and each of its resources on its own; when one is refused,
// those before it are kept, and the dialog compares with what is stored by then.
import { Button, Group, Stack } from '@mantine/core';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { useState, type FormEvent } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { Problem } from '../look/states';
import { changeOf, fieldsOf, resourceChangesOf } from './application-fields';
import { ApplicationForm } from './application-form';
import type { Application } from './application.types';

export function EditDialog({ application, onClose }: { application: Application; onClose: () => void }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [stored, setStored] = useState(application);
  const [fields, setFields] = useState(() => fieldsOf(application));
  const params = { path: { client_id: application.client_id } };
  const save = useMutation({
    mutationFn: async () => {
      const body = changeOf(fieldsOf(stored), fields);
      if (Object.keys(body).length > 0) {
        setStored(await bodyOf(api.identity.PATCH('/admin/clients/{client_id}', { params, body })));
      }
      const { allowed, disallowed } = resourceChangesOf(stored.resources, fields.resources);
      for (const resource of allowed) {
        const call = api.identity.POST('/admin/clients/{client_id}/resources/allow', { params, body: { resource } });
        setStored(await bodyOf(call));
      }
      for (const resource of disallowed) {
        const call = api.identity.POST('/admin/clients/{client_id}/resources/disallow', { params, body: { resource } });
        setStored(await bodyOf(call));
      }
    },
    onSuccess: onClose,
    onSettled: () => queries.invalidateQueries({ queryKey: ['applications'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    save.mutate();
  };
  return (
    <Dialog title={`Edit ${application.client_name ?? application.client_id}`} size="lg" isKept onClose={onClose}>
      <form onSubmit={submit}>
        <Stack>
          <ApplicationForm fields={fields} known={application.resources} onChange={setFields} />
          {save.isError && <Problem error={save.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" loading={save.isPending}>
              Save
            </Button>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}
