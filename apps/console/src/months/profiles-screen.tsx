// What came of one profile: in which months it was published and started, what the provider sent, and the stored JSON.
import { Button, Group, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { Empty } from '../look/states';
import { MonthsHeading } from './months-heading';
import { ProfileCalls } from './profile-calls';
import { ProfileDeliveries } from './profile-deliveries';
import { ProfileSelections } from './profile-selections';

const route = getRouteApi('/months/profiles');

export function ProfilesScreen() {
  const { username = '', month, delivery } = route.useSearch();
  const navigate = route.useNavigate();
  return (
    <>
      <MonthsHeading />
      <ProfileForm
        // The address may change without the form: by a link, or by Back.
        key={username}
        username={username}
        onSearch={(name) => void navigate({ search: { username: name } })}
      />
      {username === '' ? (
        <Empty>The handle or the address of a profile shows what came of it, with the JSON that is stored.</Empty>
      ) : (
        <>
          <ProfileDeliveries
            username={username}
            shown={delivery}
            onShow={(id) => void navigate({ search: (kept) => ({ ...kept, delivery: id }), replace: true })}
          />
          <ProfileCalls
            username={username}
            onRuns={(of) => void navigate({ search: (kept) => ({ ...kept, month: of }), replace: true })}
          />
          {month && <ProfileSelections username={username} month={month} />}
        </>
      )}
    </>
  );
}

function ProfileForm({ username, onSearch }: { username: string; onSearch: (username: string) => void }) {
  const [text, setText] = useState(username);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onSearch(text.trim());
  };
  return (
    <form role="search" aria-label="Profile" onSubmit={submit} style={{ marginBottom: '1rem' }}>
      <Group align="flex-end" gap="sm">
        <TextInput
          label="Handle or address of the profile"
          style={{ flex: '1 1 14rem', maxWidth: '28rem' }}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit">Show</Button>
      </Group>
    </form>
  );
}
