// Who did what at identity, newest first: sign-ins, refusals, and every change with its author.
import { NativeSelect, Table } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { LateInput } from '../look/late-input';
import { Answer, Heading, Moment, Pages } from '../look/states';
import { TextLink } from '../look/text-link';
import { auditEvents } from './audit-events';
import { auditFilterOf } from './audit-filter';
import { ExportButton } from './export-button';

const route = getRouteApi('/audit');
const pageSize = 50;
const spans = { '': 'between dates', '1': 'last day', '7': 'last week', '30': 'last month' };

export function AuditScreen() {
  const { api } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['audit', search],
    queryFn: () =>
      bodyOf(
        api.identity.GET('/admin/audit', {
          params: {
            query: {
              ...auditFilterOf(search, new Date()),
              limit: pageSize,
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
        title="Audit"
        lead="Sign-ins, refusals and changes at identity, with who made them."
        actions={<ExportButton key={JSON.stringify({ ...search, cursor: undefined })} search={search} />}
      />
      <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <LateInput
          label="Event"
          list="audit-events"
          value={search.event ?? ''}
          onChange={(event) => filter({ event })}
        />
        <datalist id="audit-events">
          {auditEvents.map((event) => (
            <option key={event} value={event} />
          ))}
        </datalist>
        <LateInput label="User id" value={search.user ?? ''} onChange={(user) => filter({ user })} />
        <LateInput label="Client id" value={search.client ?? ''} onChange={(client) => filter({ client })} />
        <NativeSelect
          label="Time"
          value={search.days ?? ''}
          onChange={({ target }) => filter({ days: target.value })}
          data={Object.entries(spans).map(([value, label]) => ({ value, label }))}
        />
        {!search.days && (
          <>
            <LateInput label="From" type="date" value={search.from ?? ''} onChange={(from) => filter({ from })} />
            <LateInput label="Until" type="date" value={search.until ?? ''} onChange={(until) => filter({ until })} />
          </>
        )}
      </form>
      <Answer
        query={query}
        waiting="Loading events"
        isEmpty={({ events }) => events.length === 0}
        empty="No event fits these filters."
      >
        {({ events, next_cursor: next }) => (
          <>
            <div className="card table-card" tabIndex={0} role="region" aria-label="Events">
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Time</Table.Th>
                    <Table.Th>Event</Table.Th>
                    <Table.Th>By</Table.Th>
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
                        <Someone id={event.details['by']} />
                      </Table.Td>
                      <Table.Td>
                        <Someone id={event.user_id} />
                      </Table.Td>
                      <Table.Td>{event.client_id ?? '–'}</Table.Td>
                      <Table.Td>{event.ip ?? '–'}</Table.Td>
                      <Table.Td style={{ minWidth: '14rem', overflowWrap: 'anywhere' }}>
                        {detailsOf(event.details)}
                      </Table.Td>
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

const uuid = /^[0-9a-f]{8}-[0-9a-f-]{27}$/;

/** A user by the beginning of the id; a client, a service or an operator by its name. */
function Someone({ id }: { id: unknown }) {
  if (typeof id !== 'string') return <>–</>;
  if (!uuid.test(id)) return <>{id}</>;
  return (
    <TextLink to="/users/$userId" params={{ userId: id }}>
      {id.slice(0, 8)}
    </TextLink>
  );
}

const detailsOf = ({ by: _, ...details }: Record<string, unknown>) =>
  Object.entries(details)
    .map(([name, value]) => `${name}: ${typeof value === 'string' ? value : JSON.stringify(value)}`)
    .join(', ') || '–';
