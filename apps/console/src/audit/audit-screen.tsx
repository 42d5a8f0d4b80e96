// Who did what at identity, newest first: sign-ins, refusals, and every change with its author.
import { NativeSelect, Table, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Answer, Heading, Moment, Pages } from '../look/states';
import { TextLink } from '../look/text-link';

const route = getRouteApi('/audit');
const pageSize = 50;
const dayMs = 86_400_000;
const spans = { '': 'Any time', '1': 'last day', '7': 'last week', '30': 'last month' };

export function AuditScreen() {
  const { api } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['audit', search],
    queryFn: () => {
      const days = Number(search.days);
      return bodyOf(
        api.identity.GET('/admin/audit', {
          params: {
            query: {
              limit: pageSize,
              ...(search.event && { event: search.event }),
              ...(search.user && { user_id: search.user }),
              ...(search.client && { client_id: search.client }),
              ...(days > 0 && { since: new Date(Date.now() - days * dayMs).toISOString() }),
              ...(search.cursor && { cursor: search.cursor }),
            },
          },
        }),
      );
    },
    placeholderData: keepPreviousData,
  });
  const filter = (change: Partial<typeof search>) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }), replace: true });
  const texts = { event: 'Event', user: 'User id', client: 'Client id' } as const;
  return (
    <>
      <Heading title="Audit" lead="Sign-ins, refusals and changes at identity, with who made them." />
      <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        {(Object.keys(texts) as (keyof typeof texts)[]).map((name) => (
          <TextInput
            key={`${name} ${search[name] ?? ''}`}
            label={texts[name]}
            defaultValue={search[name] ?? ''}
            onBlur={({ target }) =>
              target.value.trim() !== (search[name] ?? '') && filter({ [name]: target.value.trim() })
            }
            onKeyDown={(event) => event.key === 'Enter' && filter({ [name]: event.currentTarget.value.trim() })}
          />
        ))}
        <NativeSelect
          label="Time"
          value={search.days ?? ''}
          onChange={({ target }) => filter({ days: target.value })}
          data={Object.entries(spans).map(([value, label]) => ({ value, label }))}
        />
      </form>
      <Answer
        query={query}
        waiting="Loading events"
        isEmpty={({ events }) => events.length === 0}
        empty="No event fits these filters."
      >
        {({ events, next_cursor: next }) => (
          <>
            <div
              className="card table-card"
              style={{ marginTop: '1rem' }}
              tabIndex={0}
              role="region"
              aria-label="Events"
            >
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Time</Table.Th>
                    <Table.Th>Event</Table.Th>
                    <Table.Th>User id</Table.Th>
                    <Table.Th>Client id</Table.Th>
                    <Table.Th>Network address</Table.Th>
                    <Table.Th>Details</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {events.map((event) => (
                    <Table.Tr key={event.id}>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={event.at} />
                      </Table.Td>
                      <Table.Td>{event.event}</Table.Td>
                      <Table.Td>
                        {event.user_id === null ? (
                          '–'
                        ) : (
                          <TextLink to="/users/$userId" params={{ userId: event.user_id }}>
                            {event.user_id.slice(0, 8)}
                          </TextLink>
                        )}
                      </Table.Td>
                      <Table.Td>{event.client_id ?? '–'}</Table.Td>
                      <Table.Td>{event.ip ?? '–'}</Table.Td>
                      <Table.Td>{detailsOf(event.details)}</Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
            <Pages
              first={
                search.cursor && (
                  <TextLink to="/audit" search={{ ...search, cursor: undefined }}>
                    First page
                  </TextLink>
                )
              }
              next={
                next && (
                  <TextLink to="/audit" search={{ ...search, cursor: next }}>
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

const detailsOf = (details: Record<string, unknown>) =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ');
