// OAuth clients: who registered them, and which resources they may ask tokens for.
import { Button, Table } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Answer, Heading, Moment, Pages } from '../look/states';
import { TextLink } from '../look/text-link';
import { MakeDialog } from './make-dialog';

const route = getRouteApi('/applications');
const pageSize = 25;

export function ApplicationsScreen() {
  const { api } = useConsole();
  const { cursor, make } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['applications', 'list', cursor],
    queryFn: () =>
      bodyOf(
        api.identity.GET('/admin/clients', {
          params: { query: { limit: pageSize, ...(cursor && { cursor }) } },
        }),
      ),
  });
  return (
    <>
      <Heading
        title="Applications"
        lead="OAuth clients that users sign in to."
        actions={
          <Button onClick={() => void navigate({ search: (search) => ({ ...search, make: 'yes' }) })}>
            Make an application
          </Button>
        }
      />
      <Answer
        query={query}
        waiting="Loading applications"
        isEmpty={({ clients }) => clients.length === 0}
        empty="No applications yet."
      >
        {({ clients, next_cursor: next }) => (
          <>
            <div className="card table-card" tabIndex={0} role="region" aria-label="Applications">
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    <Table.Th>Client id</Table.Th>
                    <Table.Th>Registered by</Table.Th>
                    <Table.Th>Resources</Table.Th>
                    <Table.Th>Last used</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {clients.map((client) => (
                    <Table.Tr key={client.client_id}>
                      <Table.Td>{client.client_name ?? '–'}</Table.Td>
                      <Table.Td>
                        <TextLink to="/applications/$clientId" params={{ clientId: client.client_id }}>
                          {client.client_id}
                        </TextLink>
                      </Table.Td>
                      <Table.Td>{client.origin === 'operator' ? 'an operator' : 'itself'}</Table.Td>
                      <Table.Td>
                        {client.resources.map((resource) => resource.split(':').at(-1)).join(', ') || '–'}
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={client.used_at} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
            <Pages
              first={
                cursor && (
                  <TextLink to="/applications" search={{}}>
                    First page
                  </TextLink>
                )
              }
              next={
                next && (
                  <TextLink to="/applications" search={{ cursor: next }}>
                    Next page
                  </TextLink>
                )
              }
            />
          </>
        )}
      </Answer>
      {make && <MakeDialog onClose={() => void navigate({ search: ({ make: _, ...kept }) => kept })} />}
    </>
  );
}
