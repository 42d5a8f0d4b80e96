// Where a user is signed in, and what the user allowed applications to do. Identity lists the sessions of one user, so
// the screen begins with the choice of one.
import { Group, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { GrantsOf } from '../grants/grants-of';
import { LateInput } from '../look/late-input';
import { Answer, Heading, Pages, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
import { EndAllButton } from './end-all-button';
import { SessionsOf } from './sessions-of';

const route = getRouteApi('/sessions');
const pageSize = 25;

export function SessionsScreen() {
  const { user } = route.useSearch();
  return user === undefined ? <UserChoice /> : <SessionsOfUser key={user} userId={user} />;
}

function UserChoice() {
  const { api } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['users', 'choice', search],
    queryFn: () =>
      bodyOf(
        api.identity.GET('/admin/users', {
          params: {
            query: {
              limit: pageSize,
              ...(search.search && { search: search.search }),
              ...(search.cursor && { cursor: search.cursor }),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Heading title="Sessions" lead="Where a user is signed in, and what the user allowed applications to do." />
      <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <LateInput
          label="Address of the user begins with"
          value={search.search ?? ''}
          onChange={(text) => void navigate({ search: { search: text }, replace: true })}
        />
      </form>
      <Answer
        query={query}
        waiting="Loading users"
        isEmpty={({ users }) => users.length === 0}
        empty="No user has an address that begins so."
      >
        {({ users, next_cursor: next }) => (
          <>
            <div className="card table-card" tabIndex={0} role="region" aria-label="Users">
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Sessions of</Table.Th>
                    <Table.Th>Role</Table.Th>
                    <Table.Th>State</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {users.map((user) => (
                    <Table.Tr key={user.id}>
                      <Table.Td>
                        <TextLink to="/sessions" search={{ user: user.id }}>
                          {user.email}
                        </TextLink>
                      </Table.Td>
                      <Table.Td>{user.role}</Table.Td>
                      <Table.Td>
                        <Tag state={user.disabled_at === null ? 'active' : 'disabled'} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
            <Pages
              first={
                search.cursor && (
                  <TextLink to="/sessions" search={{ ...search, cursor: undefined }}>
                    First page
                  </TextLink>
                )
              }
              next={
                next && (
                  <TextLink to="/sessions" search={{ ...search, cursor: next }}>
                    Next page
                  </TextLink>
                )
              }
            />
          </>
        )}
      </Answer>
    </>
  );
}

function SessionsOfUser({ userId }: { userId: string }) {
  const { api } = useConsole();
  const query = useQuery({
    queryKey: ['users', userId],
    queryFn: () => bodyOf(api.identity.GET('/admin/users/{user_id}', { params: { path: { user_id: userId } } })),
  });
  return (
    <>
      <Text mb="xs">
        <TextLink to="/sessions" search={{}}>
          Sessions of another user
        </TextLink>
      </Text>
      <Answer query={query} waiting="Loading the user">
        {(user) => (
          <>
            <Heading
              title={`Sessions of ${user.email}`}
              lead={
                <TextLink to="/users/$userId" params={{ userId }}>
                  The user
                </TextLink>
              }
              actions={<EndAllButton user={user} />}
            />
            <SessionsOf user={user} />
            <Group mt="lg" mb="sm">
              <Title order={2} size="h4">
                Grants
              </Title>
            </Group>
            <GrantsOf of={{ user_id: userId }} />
          </>
        )}
      </Answer>
    </>
  );
}
