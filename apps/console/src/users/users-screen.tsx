// All users, newest first, and the invitation of new ones.
import { Button, Group, NativeSelect, Stack, Table, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { LateInput } from '../look/late-input';
import { Secret } from '../look/secret';
import { Answer, Heading, Moment, Pages, Problem, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
import { roles, type Role } from './user.types';

const route = getRouteApi('/users');
const pageSize = 25;

export function UsersScreen() {
  const { api, user: me } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { invite, ...listed } = search;
  const query = useQuery({
    queryKey: ['users', 'list', listed],
    queryFn: () =>
      bodyOf(
        api.identity.GET('/admin/users', {
          params: {
            query: {
              limit: pageSize,
              ...(search.search && { search: search.search }),
              ...(search.role && { role: search.role as Role }),
              ...(search.company && { company_id: search.company }),
              ...(search.cursor && { cursor: search.cursor }),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  const filter = (change: Partial<typeof search>) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }), replace: true });
  return (
    <>
      <Heading
        title="Users"
        lead="People who may sign in."
        actions={<Button onClick={() => void navigate({ search: { ...search, invite: 'yes' } })}>Invite a user</Button>}
      />
      <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <LateInput
          label="Address begins with"
          value={search.search ?? ''}
          onChange={(text) => filter({ search: text })}
        />
        <NativeSelect
          label="Role"
          value={search.role ?? ''}
          onChange={({ target }) => filter({ role: target.value })}
          data={[{ value: '', label: 'Any' }, ...roles.map((value) => ({ value, label: value }))]}
        />
        {me.companyId === undefined && (
          <LateInput label="Company id" value={search.company ?? ''} onChange={(company) => filter({ company })} />
        )}
      </form>
      <Answer
        query={query}
        waiting="Loading users"
        isEmpty={({ users }) => users.length === 0}
        empty="No user fits these filters."
      >
        {({ users, next_cursor: next }) => (
          <>
            <div className="card table-card" tabIndex={0} role="region" aria-label="Users">
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Email address</Table.Th>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Role</Table.Th>
                    <Table.Th>Company id</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Made</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {users.map((user) => (
                    <Table.Tr key={user.id}>
                      <Table.Td>
                        <TextLink to="/users/$userId" params={{ userId: user.id }}>
                          {user.email}
                        </TextLink>
                      </Table.Td>
                      <Table.Td>{user.name ?? '–'}</Table.Td>
                      <Table.Td>{user.role}</Table.Td>
                      <Table.Td>{user.company_id ?? '–'}</Table.Td>
                      <Table.Td>
                        <Tag state={user.disabled_at === null ? 'active' : 'disabled'} />
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={user.created_at} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
            <Pages
              first={
                search.cursor && (
                  <TextLink to="/users" search={{ ...listed, cursor: undefined }}>
                    First page
                  </TextLink>
                )
              }
              next={
                next && (
                  <TextLink to="/users" search={{ ...listed, cursor: next }}>
                    Next page
                  </TextLink>
                )
              }
            />
          </>
        )}
      </Answer>
      {invite && <InviteDialog onClose={() => void navigate({ search: listed })} />}
    </>
  );
}

function InviteDialog({ onClose }: { onClose: () => void }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [email, setEmail] = useState('');
  const [name, setName] = useState('');
  const [role, setRole] = useState<Role>('USER');
  const [company, setCompany] = useState('');
  const invite = useMutation({
    mutationFn: () =>
      bodyOf(
        api.identity.POST('/admin/users/invite', {
          body: {
            email: email.trim(),
            role,
            ...(name.trim() && { name: name.trim() }),
            company_id: company.trim() || null,
          },
        }),
      ),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['users'] }),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    invite.mutate();
  };
  return (
    <Dialog title="Invite a user" isKept onClose={onClose}>
      {invite.isSuccess ? (
        <Stack>
          <Text role="status">
            {invite.data.link === null
              ? `${invite.data.user.email} gets a mail with a link to set the password.`
              : `${invite.data.user.email} sets the password with this link.`}
          </Text>
          {invite.data.link !== null && <Secret value={invite.data.link} what="the link" />}
          <Group justify="flex-end">
            <Button onClick={onClose}>Close</Button>
          </Group>
        </Stack>
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <TextInput
              label="Email address"
              type="email"
              required
              data-autofocus
              value={email}
              onChange={({ target }) => setEmail(target.value)}
            />
            <TextInput label="Name" value={name} onChange={({ target }) => setName(target.value)} />
            <NativeSelect
              label="Role"
              value={role}
              onChange={({ target }) => setRole(target.value as Role)}
              data={[...roles]}
            />
            <TextInput
              label="Company id"
              description="Without one the user belongs to no company"
              value={company}
              onChange={({ target }) => setCompany(target.value)}
            />
            {invite.isError && <Problem error={invite.error} />}
            <Group justify="flex-end">
              <Button variant="default" onClick={onClose}>
                Cancel
              </Button>
              <Button type="submit" loading={invite.isPending}>
                Invite
              </Button>
            </Group>
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
