// One user: role, company, where they are signed in, and the end of all that.
import { Button, Group, NativeSelect, Table, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Confirm } from '../look/confirm';
import { Answer, Heading, Moment, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
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
        {(user) => <UserDetails user={user} />}
      </Answer>
    </>
  );
}

function UserDetails({ user }: { user: User }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [question, setQuestion] = useState<Question>();
  const params = { path: { user_id: user.id } };
  const sessions = useQuery({
    queryKey: ['users', user.id, 'sessions'],
    queryFn: () => bodyOf(api.identity.GET('/admin/users/{user_id}/sessions', { params })),
  });
  const isDisabled = user.disabled_at !== null;
  const askRole = (role: Role) =>
    setQuestion({
      title: `Make ${user.email} ${role}?`,
      text: 'Every session and token of the user ends.',
      action: 'Change the role',
      run: () => bodyOf<unknown>(api.identity.POST('/admin/users/{user_id}/role', { params, body: { role } })),
    });
  const askDisable = () =>
    setQuestion({
      title: `Disable ${user.email}?`,
      text: 'Every session, grant, token and API key of the user ends. You can enable the user again later.',
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
  const askEndAll = () =>
    setQuestion({
      title: `Sign ${user.email} out everywhere?`,
      text: 'Every session, grant and token of the user ends. API keys stay.',
      action: 'Sign out everywhere',
      run: () => bodyOf<unknown>(api.identity.POST('/admin/users/{user_id}/sessions/end-all', { params })),
    });
  const facts: [string, ReactNode][] = [
    ['Name', user.name ?? '–'],
    ['Email address', user.email_verified ? 'confirmed' : 'not confirmed'],
    ['Company id', user.company_id ?? '–'],
    ['Second factor', user.has_second_factor ? 'yes' : 'no'],
    ['Made', <Moment key="at" at={user.created_at} />],
    ['Id', user.id],
  ];
  return (
    <>
      <Heading
        title={user.email}
        lead={<Tag state={isDisabled ? 'disabled' : 'active'} />}
        actions={
          <Button variant="default" onClick={isDisabled ? askEnable : askDisable}>
            {isDisabled ? 'Enable' : 'Disable'}
          </Button>
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
        <NativeSelect
          mt="md"
          maw="12rem"
          label="Role"
          value={user.role}
          onChange={({ target }) => askRole(target.value as Role)}
          data={[...roles]}
        />
      </div>
      <Group justify="space-between" mt="lg" mb="sm">
        <Title order={2} size="h4">
          Signed in
        </Title>
        <Button variant="default" onClick={askEndAll}>
          Sign out everywhere
        </Button>
      </Group>
      <Answer
        query={sessions}
        waiting="Loading sessions"
        isEmpty={(page) => page.sessions.length === 0}
        empty="The user is signed in nowhere."
      >
        {(page) => (
          <div className="card table-card" tabIndex={0} role="region" aria-label="Sessions">
            <Table verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Browser</Table.Th>
                  <Table.Th>Network address</Table.Th>
                  <Table.Th>Signed in</Table.Th>
                  <Table.Th>Last used</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {page.sessions.map((session) => (
                  <Table.Tr key={session.id}>
                    <Table.Td>{session.browser ?? '–'}</Table.Td>
                    <Table.Td>{session.address ?? '–'}</Table.Td>
                    <Table.Td>
                      <Moment at={session.signed_in_at} />
                    </Table.Td>
                    <Table.Td>
                      <Moment at={session.used_at} />
                    </Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </Answer>
      {question && (
        <Confirm
          title={question.title}
          text={question.text}
          action={question.action}
          onClose={() => setQuestion(undefined)}
          onConfirm={async () => {
            await question.run();
            await queries.invalidateQueries({ queryKey: ['users'] });
          }}
        />
      )}
    </>
  );
}
