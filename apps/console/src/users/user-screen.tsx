// One user: role, company, the way back in after a lost password, where they are signed in, and the end of all that.
import { Button, Group, NativeSelect, Text, TextInput, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type FormEvent, type ReactNode } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { GrantsOf } from '../grants/grants-of';
import { Confirm } from '../look/confirm';
import { Dialog } from '../look/dialog';
import { Secret } from '../look/secret';
import { Answer, Heading, Moment, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
import { EndAllButton } from '../sessions/end-all-button';
import { SessionsOf } from '../sessions/sessions-of';
import { roles, type Role, type User } from './user.types';

const route = getRouteApi('/users/$userId');

interface Question {
  title: string;
  text: string;
  action: string;
  run: () => Promise<unknown>;
}

export function UserScreen() {
  const { api } = useConsole();
  const { userId } = route.useParams();
  const params = { path: { user_id: userId } };
  const query = useQuery({
    queryKey: ['users', userId],
    queryFn: () => bodyOf(api.identity.GET('/admin/users/{user_id}', { params })),
  });
  return (
    <>
      <Text mb="xs">
        <TextLink to="/users">Users</TextLink>
      </Text>
      <Answer query={query} waiting="Loading the user">
        {(user) => <UserDetails key={user.id} user={user} />}
      </Answer>
    </>
  );
}

function UserDetails({ user }: { user: User }) {
  const { api, user: me } = useConsole();
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question>();
  /** The link for the user; null when it was mailed. */
  const [link, setLink] = useState<string | null>();
  const params = { path: { user_id: user.id } };
  const isDisabled = user.disabled_at !== null;
  const self = user.id === me.id ? ' This is your own account.' : '';
  const askRole = (role: Role) =>
    setQuestion({
      title: `Make ${user.email} ${role}?`,
      text: `Every session and token of the user ends.${self}`,
      action: 'Change the role',
      run: () => bodyOf<unknown>(api.identity.POST('/admin/users/{user_id}/role', { params, body: { role } })),
    });
  const askCompany = (company: string) =>
    setQuestion({
      title: company === '' ? `Take ${user.email} out of the company?` : `Move ${user.email} to ${company}?`,
      text: `Every session and token of the user ends.${self}`,
      action: 'Change the company',
      run: () =>
        bodyOf<unknown>(
          api.identity.POST('/admin/users/{user_id}/company', { params, body: { company_id: company || null } }),
        ),
    });
  const askDisable = () =>
    setQuestion({
      title: `Disable ${user.email}?`,
      text: `Every session, grant, token and API key of the user ends. You can enable the user again later.${self}`,
      action: 'Disable the user',
      run: () => bodyOf<unknown>(api.identity.POST('/admin/users/{user_id}/disable', { params })),
    });
  const askEnable = () =>
    setQuestion({
      title: `Enable ${user.email}?`,
      text: 'The user can sign in again. API keys stay revoked.',
      action: 'Enable the user',
      run: () => bodyOf<unknown>(api.identity.POST('/admin/users/{user_id}/enable', { params })),
    });
  const askLink = () =>
    setQuestion({
      title: `Make a link for ${user.email}?`,
      text: 'With it the user sets a new password. It works once, for a day. The old password works until then.',
      action: 'Make the link',
      run: async () => {
        const made = await bodyOf(api.identity.POST('/admin/users/{user_id}/password-link', { params }));
        setLink(made.link);
      },
    });
  const askReset = () =>
    setQuestion({
      title: `Remove the second factor of ${user.email}?`,
      text: `The app, passkeys and recovery codes go, and every session and token of the user ends.${self}`,
      action: 'Remove the second factor',
      run: () => bodyOf<unknown>(api.identity.POST('/admin/users/{user_id}/second-factor/reset', { params })),
    });
  const facts: [string, ReactNode][] = [
    ['Name', user.name ?? '–'],
    ['Email address', user.email_verified ? 'confirmed' : 'not confirmed'],
    ['Second factor', user.has_second_factor ? 'yes' : 'no'],
    ['Made', <Moment key="at" at={user.created_at} />],
    ['Disabled', <Moment key="disabled" at={user.disabled_at} />],
    ['Id', user.id],
  ];
  return (
    <>
      <Heading
        title={user.email}
        lead={<Tag state={isDisabled ? 'disabled' : 'active'} />}
        actions={
          <Group gap="sm">
            {!isDisabled && (
              <Button variant="default" onClick={askLink}>
                Password link
              </Button>
            )}
            {user.has_second_factor && (
              <Button variant="default" onClick={askReset}>
                Remove second factor
              </Button>
            )}
            <Button variant="default" onClick={isDisabled ? askEnable : askDisable}>
              {isDisabled ? 'Enable' : 'Disable'}
            </Button>
          </Group>
        }
      />
      <div className="card">
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
        <Group mt="md" gap="md" align="flex-end">
          <NativeSelect
            w="12rem"
            label="Role"
            value={user.role}
            onChange={({ target }) => askRole(target.value as Role)}
            data={[...roles]}
          />
          {me.companyId === undefined && (
            <Company key={user.company_id ?? ''} value={user.company_id ?? ''} onChange={askCompany} />
          )}
        </Group>
      </div>
      <Group justify="space-between" mt="lg" mb="sm">
        <Title order={2} size="h4">
          Signed in
        </Title>
        <EndAllButton user={user} />
      </Group>
      <SessionsOf user={user} />
      <Title order={2} size="h4" mt="lg" mb="sm">
        Grants
      </Title>
      <GrantsOf of={{ user_id: user.id }} />
      {me.companyId === undefined && (
        <Text mt="lg">
          <TextLink to="/audit" search={{ user: user.id }}>
            What happened to this user
          </TextLink>
        </Text>
      )}
      {question && (
        <Confirm
          title={question.title}
          text={question.text}
          action={question.action}
          onClose={() => setQuestion(undefined)}
          onConfirm={async () => {
            await question.run();
            await Promise.all([
              queries.invalidateQueries({ queryKey: ['users'] }),
              queries.invalidateQueries({ queryKey: ['grants'] }),
            ]);
          }}
        />
      )}
      {link !== undefined && (
        <Dialog title="Password link" isKept onClose={() => setLink(undefined)}>
          {link === null ? (
            <Text role="status">{user.email} gets a mail with the link.</Text>
          ) : (
            <Secret value={link} what="the link" />
          )}
        </Dialog>
      )}
    </>
  );
}

function Company({ value, onChange }: { value: string; onChange: (company: string) => void }) {
  const [text, setText] = useState(value);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    onChange(text.trim());
  };
  return (
    <form onSubmit={submit}>
      <Group gap="sm" align="flex-end">
        <TextInput
          w="12rem"
          label="Company id"
          placeholder="belongs to none"
          maxLength={200}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <Button type="submit" variant="default" disabled={text.trim() === value}>
          Change the company
        </Button>
      </Group>
    </form>
  );
}
