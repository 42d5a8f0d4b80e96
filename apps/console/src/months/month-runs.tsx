// The runs of one month, latest first, also those that only tried.
import { Button, Table, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import type { components } from '../api/coordinator.generated';
import { useConsole } from '../console-context';
import { number } from '../look/numbers';
import { Empty, Moment, Problem, Tag, Waiting } from '../look/states';

type Run = components['schemas']['RunDto'];

const pageSize = 10;
const followMs = 5000;

export function MonthRuns({ month }: { month: string }) {
  const { api } = useConsole();
  const query = useInfiniteQuery({
    queryKey: ['months', month, 'runs'],
    queryFn: ({ pageParam: cursor }) =>
      bodyOf(
        api.coordinator.GET('/runs', {
          params: { query: { month, limit: pageSize, ...(cursor !== null && { cursor }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ runs }) => runs.some(({ status }) => status !== 'completed')) ? followMs : false,
  });
  const runs = query.data?.pages.flatMap((page) => page.runs) ?? [];
  return (
    <section aria-labelledby="runs">
      <Title order={2} size="h4" mt="lg" mb="xs" id="runs">
        Runs of {month}
      </Title>
      {query.isPending && <Waiting what="Loading the runs" />}
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && runs.length === 0 && <Empty>This month has no run.</Empty>}
      {runs.length > 0 && (
        <div className="card table-card" tabIndex={0} role="region" aria-label="Runs">
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Began</Table.Th>
                <Table.Th>State</Table.Th>
                <Table.Th>Kind</Table.Th>
                <Table.Th>Selected</Table.Th>
                <Table.Th>Published</Table.Th>
                <Table.Th>Ended</Table.Th>
                <Table.Th>Started by</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {runs.map((run) => (
                <Table.Tr key={run.run_id}>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>
                    <Moment at={run.created_at} />
                  </Table.Td>
                  <Table.Td>
                    <Tag state={run.status} />
                    {run.last_error && (
                      <Text size="sm" c="var(--tw-bad)" mt={4}>
                        {run.last_error}
                      </Text>
                    )}
                  </Table.Td>
                  <Table.Td>{kindOf(run)}</Table.Td>
                  <Table.Td>{number(run.selected)}</Table.Td>
                  <Table.Td>{run.dry_run ? '–' : number(run.published_profiles)}</Table.Td>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>
                    <Moment at={run.finished_at} />
                  </Table.Td>
                  <Table.Td>{run.triggered_by ?? '–'}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
      {query.hasNextPage && (
        <Button mt="sm" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Earlier runs
        </Button>
      )}
    </section>
  );
}

function kindOf({ dry_run: isTrial, forced, limit, published_before: before }: Run): string {
  const kinds = [
    ...(isTrial ? ['only counted'] : []),
    ...(forced ? ['everybody again'] : []),
    ...(limit === null ? [] : [`at most ${number(limit)}`]),
    ...(before > 0 ? ['only new people'] : []),
  ];
  return kinds.length === 0 ? 'everybody' : kinds.join(', ');
}
