// What the provider sent of a profile, latest first, and the JSON that is stored of one of them.
import { Button, Table, Text, Title } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { JsonBlock } from '../look/json-block';
import { Answer, Empty, Moment, Problem, Tag, Waiting } from '../look/states';

const pageSize = 10;

export function ProfileDeliveries({
  username,
  shown,
  onShow,
}: {
  username: string;
  /** The delivery whose JSON is open. */
  shown: string | undefined;
  onShow: (id: string | undefined) => void;
}) {
  const { api } = useConsole();
  const query = useInfiniteQuery({
    queryKey: ['profile', username, 'deliveries'],
    queryFn: ({ pageParam: cursor }) =>
      bodyOf(
        api.priorityWebhook.GET('/admin/profiles/{username}/deliveries', {
          params: { path: { username }, query: { limit: pageSize, ...(cursor !== null && { cursor }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  const deliveries = query.data?.pages.flatMap((page) => page.deliveries) ?? [];
  return (
    <section aria-labelledby="deliveries">
      <Title order={2} size="h4" mb="xs" id="deliveries">
        What the provider sent
      </Title>
      {query.isPending && <Waiting what="Loading what the provider sent" />}
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && deliveries.length === 0 && <Empty>The provider has sent nothing of this profile.</Empty>}
      {deliveries.length > 0 && (
        <div className="card table-card" tabIndex={0} role="region" aria-label="Deliveries">
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Received</Table.Th>
                <Table.Th>Month</Table.Th>
                <Table.Th>Outcome</Table.Th>
                <Table.Th>Warehouse</Table.Th>
                <Table.Th>Backup</Table.Th>
                <Table.Th>JSON</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {deliveries.map((delivery) => (
                <Table.Tr key={delivery.id}>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>
                    <Moment at={delivery.received_at} />
                  </Table.Td>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>{delivery.month}</Table.Td>
                  <Table.Td>
                    <Tag state={delivery.status} />
                    {delivery.reason !== null && (
                      <Text size="sm" mt={4}>
                        {delivery.reason}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{delivery.is_stored ? 'stored' : 'not yet'}</Table.Td>
                  <Table.Td>{delivery.is_backed_up ? <code>{delivery.object_name}</code> : 'not yet'}</Table.Td>
                  <Table.Td>
                    <Button
                      size="xs"
                      variant="default"
                      aria-expanded={delivery.id === shown}
                      onClick={() => onShow(delivery.id === shown ? undefined : delivery.id)}
                    >
                      {delivery.id === shown ? 'Hide' : 'Show'}
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
          Earlier ones
        </Button>
      )}
      {shown !== undefined && <StoredJson username={username} id={shown} />}
    </section>
  );
}

const sources = { backup: 'of the backup', inbox: 'of the inbox, as there is no backup yet' };

function StoredJson({ username, id }: { username: string; id: string }) {
  const { api } = useConsole();
  const query = useQuery({
    queryKey: ['profile', username, 'delivery', id],
    queryFn: () =>
      bodyOf(
        api.priorityWebhook.GET('/admin/profiles/{username}/deliveries/{delivery_id}', {
          params: { path: { username, delivery_id: id } },
        }),
      ),
  });
  return (
    <Answer query={query} waiting="Loading the stored JSON">
      {({ profile, source, month, received_at: at }) => (
        <>
          <Title order={3} size="h5" mt="md" mb="xs">
            Stored JSON {sources[source]}, received <Moment at={at} />
          </Title>
          <JsonBlock value={profile} label={`Stored JSON of ${month}`} />
        </>
      )}
    </Answer>
  );
}
