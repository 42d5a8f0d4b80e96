// The fields of an application, for a new one and for changes.
import { Checkbox, Stack, Textarea, TextInput } from '@mantine/core';
import type { ApplicationFields } from './application-fields';
import { platformResources } from './application.types';

export function ApplicationForm({
  fields,
  known,
  onChange,
}: {
  fields: ApplicationFields;
  /** Resources that the application has already. */
  known: readonly string[];
  onChange: (fields: ApplicationFields) => void;
}) {
  const set = (change: Partial<ApplicationFields>) => onChange({ ...fields, ...change });
  const resources = [...new Set([...Object.keys(platformResources), ...known])];
  const labels: Record<string, string> = platformResources;
  return (
    <Stack>
      <TextInput
        label="Name"
        description="Users see it when they are asked to allow something"
        maxLength={200}
        value={fields.name}
        onChange={({ target }) => set({ name: target.value })}
      />
      <Textarea
        label="Redirect URIs"
        description="One a line: https, http on this device, or a scheme of an app"
        required
        autosize={false}
        rows={3}
        value={fields.redirectUris}
        onChange={({ target }) => set({ redirectUris: target.value })}
      />
      <Textarea
        label="Addresses after a sign-out"
        description="One a line; a sign-out may lead back to them"
        autosize={false}
        rows={2}
        value={fields.signOutUris}
        onChange={({ target }) => set({ signOutUris: target.value })}
      />
      <TextInput
        label="Back-channel logout address"
        description="Called when a session ends"
        type="url"
        value={fields.logoutCall}
        onChange={({ target }) => set({ logoutCall: target.value })}
      />
      <TextInput
        label="Scopes"
        description="Separated by blanks, such as openid email offline_access; empty: all"
        maxLength={200}
        value={fields.scope}
        onChange={({ target }) => set({ scope: target.value })}
      />
      <Checkbox.Group
        label="Resources"
        description="It may ask users for tokens of these"
        value={[...fields.resources]}
        onChange={(chosen) => set({ resources: chosen })}
      >
        <Stack gap="xs" mt="xs">
          {resources.map((resource) => (
            <Checkbox key={resource} value={resource} label={resource} description={labels[resource]} />
          ))}
        </Stack>
      </Checkbox.Group>
    </Stack>
  );
}
