// Which runs of a month have selected and published a profile, as the coordinator knows it.
import { Table, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Answer, Moment } from '../look/states';

export function ProfileSelections({ username, month }: { username: string; month: string }) {
  const { api } = useConsole();
  const query = useQuery({
    queryKey: ['profile', username, 'selections', month],
    queryFn: () =>
      bodyOf(api.coordinator.GET('/months/{month}/profiles/{username}', { params: { path: { month, username } } })),
    // It searches every batch of the month.
    staleTime: 60_000,
  });
  return (
    <section aria-labelledby="selections">
      <Title order={2} size="h4" mt="lg" mb="xs" id="selections">
        Runs of {month} with this profile
      </Title>
      <Answer
        query={query}
        waiting={`Searching the runs of ${month}`}
        isEmpty={({ runs }) => runs.length === 0}
        empty={`No run of ${month} has selected this profile.`}
      >
        {({ runs }) => (
          <div className="card table-card" tabIndex={0} role="region" aria-label={`Runs of ${month}`}>
            <Table verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Selected</Table.Th>
                  <Table.Th>Published</Table.Th>
                  <Table.Th>Batch</Table.Th>
                  <Table.Th>Kind</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {runs.map((run) => (
                  <Table.Tr key={`${run.run_id} ${run.batch_number}`}>
                    <Table.Td>
                      <Moment at={run.selected_at} />
                    </Table.Td>
                    <Table.Td>
                      {run.published_at === null ? 'not yet' : <Moment at={run.published_at} />}
                      {run.is_superseded && ', and again by a later run'}
                    </Table.Td>
                    <Table.Td>{run.batch_number}</Table.Td>
                    <Table.Td>{run.forced ? 'everybody again' : 'usual'}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </Answer>
    </section>
  );
}
