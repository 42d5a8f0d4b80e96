// In which months a profile was published, started, retried, lost and delivered, as priority-api knows it.
import { Button, Table, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import type { components } from '../api/priority-api.generated';
import { useConsole } from '../console-context';
import { counted } from '../look/numbers';
import { Empty, Moment, Problem, Tag, Waiting } from '../look/states';

const pageSize = 12;

export function ProfileCalls({ username, onRuns }: { username: string; onRuns: (month: string) => void }) {
  const { api } = useConsole();
  const query = useInfiniteQuery({
    queryKey: ['profile', username, 'calls'],
    queryFn: ({ pageParam: cursor }) =>
      bodyOf(
        api.priorityApi.GET('/admin/profiles/{username}/calls', {
          params: { path: { username }, query: { limit: pageSize, ...(cursor !== null && { cursor }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const calls = query.data?.pages.flatMap((page) => page.calls) ?? [];
  return (
    <section aria-labelledby="calls">
      <Title order={2} size="h4" mt="lg" mb="xs" id="calls">
        Months
      </Title>
      {query.isPending && <Waiting what="Loading the months" />}
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && calls.length === 0 && (
        <Empty>This profile was in no batch of the months that are kept.</Empty>
      )}
      {calls.length > 0 && (
        <div className="card table-card" tabIndex={0} role="region" aria-label="Months of the profile">
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Month</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Batch came</Table.Th>
                <Table.Th>Started</Table.Th>
                <Table.Th>Delivered</Table.Th>
                <Table.Th>Retries</Table.Th>
                <Table.Th>Runs</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {calls.map((call) => (
                <Table.Tr key={`${call.month} ${call.forced_run_id}`}>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>
                    {call.month}
                    {call.forced_run_id !== null && ', again'}
                  </Table.Td>
                  <Table.Td>
                    <Tag state={call.lost_at === null ? call.state : 'lost'} />
                    {call.reason !== null && (
                      <Text size="sm" mt={4}>
                        {call.reason}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>
                    <Moment at={call.received_at} />
                    {call.batch_number !== null && `, batch ${call.batch_number}`}
                  </Table.Td>
                  <Table.Td>
                    <Moment at={call.started_at} />
                  </Table.Td>
                  <Table.Td>
                    <Moment at={call.delivered_at} />
                    {call.delivered_status !== null && `, ${call.delivered_status.toLowerCase()}`}
                  </Table.Td>
                  <Table.Td>{retriesOf(call)}</Table.Td>
                  <Table.Td>
                    <Button size="xs" variant="default" onClick={() => onRuns(call.month)}>
                      Runs of {call.month}
                    </Button>
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {query.hasNextPage && (
        <Button mt="sm" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Earlier months
        </Button>
      )}
    </section>
  );
}

function retriesOf({ retries }: components['schemas']['ProfileCallDto']) {
  const [last] = retries;
  if (!last) return '–';
  return (
    <>
      {counted(retries.length, 'retry', 'retries')}, last <Moment at={last.retried_at} />
      {last.requested_by !== null && ` by ${last.requested_by}`}
    </>
  );
}
