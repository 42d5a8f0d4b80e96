// What happened to one key, newest first: who made it, with which operations and from where it was used.
import { Button, Group, Stack, Table } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { Empty, Moment, Problem, Tag, Waiting } from '../look/states';

const pageSize = 50;

export function KeyEventsDialog({
  id,
  name,
  isOfAll,
  onClose,
}: {
  id: string;
  name: string;
  /** Whether an administrator asks, who sees keys of others. */
  isOfAll: boolean;
  onClose: () => void;
}) {
  const { api } = useConsole();
  const query = useInfiniteQuery({
    queryKey: ['keys', 'events', id, isOfAll],
    initialPageParam: undefined as string | undefined,
    queryFn: ({ pageParam: cursor }) => {
      const params = { path: { id }, query: { limit: pageSize, ...(cursor !== undefined && { cursor }) } };
      return isOfAll
        ? bodyOf(api.gateway.GET('/admin/keys/{id}/audit', { params }))
        : bodyOf(api.gateway.GET('/keys/{id}/audit', { params }));
    },
    getNextPageParam: ({ next_cursor: next }) => next ?? undefined,
  });
  const events = query.data?.pages.flatMap((page) => page.events) ?? [];
  return (
    <Dialog title={`History of ${name}`} size="lg" onClose={onClose}>
      <Stack>
        {query.isPending && <Waiting what="Loading the history" />}
        {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
        {query.isSuccess && events.length === 0 && (
          <Empty>Nothing is kept of this key: its history may be older than what is kept.</Empty>
        )}
        {events.length > 0 && (
          <div className="card table-card history" tabIndex={0} role="region" aria-label="History">
            <Table verticalSpacing="xs">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>When</Table.Th>
                  <Table.Th>What</Table.Th>
                  <Table.Th>Operation</Table.Th>
                  <Table.Th>From</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {events.map(({ at, outcome, operation, ip, times }, index) => (
                  // Events have no id, and several may be of one moment.
                  <Table.Tr key={index}>
                    <Table.Td style={{ whiteSpace: 'nowrap' }}>
                      <Moment at={at} isWithSeconds />
                    </Table.Td>
                    <Table.Td>
                      <Tag state={outcome} />
                      {times > 1 && ` ${times.toLocaleString('en')} times`}
                    </Table.Td>
                    <Table.Td>{operation ?? '–'}</Table.Td>
                    <Table.Td>{ip ?? '–'}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
        <Group justify="flex-end">
          {query.hasNextPage && (
            <Button variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
              Older
            </Button>
          )}
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
