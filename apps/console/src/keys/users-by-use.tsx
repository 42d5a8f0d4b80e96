// Who spends the data calls, for an administrator: those with most first.
import { Group, NativeSelect, Table, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Answer, Pages } from '../look/states';
import { TextLink } from '../look/text-link';

const route = getRouteApi('/keys');
const pageSize = 10;
const daysDefault = '30';

export function UsersByUse() {
  const { api } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const days = search.days ?? daysDefault;
  const query = useQuery({
    queryKey: ['keys', 'users by use', days, search.uses],
    queryFn: () =>
      bodyOf(
        api.gateway.GET('/admin/usage', {
          params: {
            query: { limit: pageSize, days: Number(days), ...(search.uses && { cursor: search.uses }) },
          },
        }),
      ),
  });
  return (
    <section aria-labelledby="users-by-use">
      <Group justify="space-between" align="flex-end" mt="lg" mb="sm">
        <Title order={2} size="h4" id="users-by-use">
          Who used the data
        </Title>
        <NativeSelect
          label="In the last"
          value={days}
          onChange={({ target }) =>
            void navigate({ search: { ...search, days: target.value, uses: undefined }, replace: true })
          }
          data={[
            ...(['1', '7', '30', '90'].includes(days) ? [] : [{ value: days, label: `${days} days` }]),
            { value: '1', label: 'day, today' },
            ...['7', '30', '90'].map((value) => ({ value, label: `${value} days` })),
          ]}
        />
      </Group>
      <Answer
        query={query}
        waiting="Loading who used the data"
        isEmpty={({ users }) => users.length === 0}
        empty="Nobody made a data call in this time."
      >
        {({ users, next_cursor: next }) => {
          const most = Math.max(...users.map(({ data_calls: calls }) => calls));
          return (
            <>
              <div className="card table-card" tabIndex={0} role="region" aria-label="Users by data calls">
                <Table verticalSpacing="sm">
                  <Table.Thead>
                    <Table.Tr>
                      <Table.Th>User</Table.Th>
                      <Table.Th>Company id</Table.Th>
                      <Table.Th ta="right">Data calls</Table.Th>
                      <Table.Th aria-hidden className="only-wide" />
                      <Table.Th>Last on</Table.Th>
                    </Table.Tr>
                  </Table.Thead>
                  <Table.Tbody>
                    {users.map((user) => (
                      <Table.Tr key={user.user_id}>
                        <Table.Td>
                          <TextLink to="/keys" search={{ whose: 'all', user: user.user_email, days: search.days }}>
                            {user.user_email}
                          </TextLink>
                        </Table.Td>
                        <Table.Td>{user.user_company_id ?? '–'}</Table.Td>
                        <Table.Td ta="right">{user.data_calls.toLocaleString('en')}</Table.Td>
                        <Table.Td aria-hidden className="only-wide" w="12rem">
                          <div className="bar">
                            <span style={{ width: `${(100 * user.data_calls) / most}%` }} />
                          </div>
                        </Table.Td>
                        <Table.Td style={{ whiteSpace: 'nowrap' }}>{user.last_day}</Table.Td>
                      </Table.Tr>
                    ))}
                  </Table.Tbody>
                </Table>
              </div>
              <Pages
                first={
                  search.uses && (
                    <TextLink to="/keys" search={{ ...search, uses: undefined }}>
                      Busiest users
                    </TextLink>
                  )
                }
                next={
                  next && (
                    <TextLink to="/keys" search={{ ...search, uses: next }}>
                      More users
                    </TextLink>
                  )
                }
              />
            </>
          );
        }}
      </Answer>
    </section>
  );
}
