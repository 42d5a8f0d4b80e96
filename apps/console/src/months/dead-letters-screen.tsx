// Messages that could not be used, latest first.
import { NativeSelect, Table } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { number } from '../look/numbers';
import { Answer, Moment, Pages, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
import { MonthsHeading } from './months-heading';

const route = getRouteApi('/months/dead-letters');
const pageSize = 25;
const followMs = 10_000;

export function DeadLettersScreen() {
  const { api } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isAll = search.show === 'all';
  const query = useQuery({
    queryKey: ['dead letters', search],
    queryFn: () =>
      bodyOf(
        api.priorityApi.GET('/admin/dead-letters', {
          params: { query: { limit: pageSize, with_handled: isAll, ...(search.cursor && { cursor: search.cursor }) } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: followMs,
  });
  return (
    <>
      <MonthsHeading />
      <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <NativeSelect
          label="Show"
          value={isAll ? 'all' : ''}
          onChange={({ target }) => void navigate({ search: { show: target.value }, replace: true })}
          data={[
            { value: '', label: 'open ones' },
            { value: 'all', label: 'all of them' },
          ]}
        />
      </form>
      <Answer
        query={query}
        waiting="Loading dead letters"
        isEmpty={({ dead_letters: letters }) => letters.length === 0}
        empty={isAll ? 'No message was ever put aside.' : 'No open dead letter: every message could be used.'}
      >
        {({ dead_letters: letters, next_cursor: next }) => (
          <>
            <div className="card table-card" tabIndex={0} role="region" aria-label="Dead letters">
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Number</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Reason</Table.Th>
                    <Table.Th>Received</Table.Th>
                    <Table.Th>Last received</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {letters.map((letter) => (
                    <Table.Tr key={letter.id}>
                      <Table.Td>
                        <TextLink to="/months/dead-letters/$letterId" params={{ letterId: letter.id }}>
                          {letter.id}
                        </TextLink>
                      </Table.Td>
                      <Table.Td>
                        <Tag state={letter.state} />
                      </Table.Td>
                      <Table.Td style={{ minWidth: '16rem' }}>{letter.reason}</Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        {letter.deliveries === 1 ? 'once' : `${number(letter.deliveries)} times`}
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={letter.last_received_at} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
            <Pages
              first={
                search.cursor && (
                  <TextLink to="/months/dead-letters" search={{ ...search, cursor: undefined }}>
                    First page
                  </TextLink>
                )
              }
              next={
                next && (
                  <TextLink to="/months/dead-letters" search={{ ...search, cursor: next }}>
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
