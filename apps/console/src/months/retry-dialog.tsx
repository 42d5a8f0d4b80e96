// Starts the missing profiles of a month again: first the plan, then that plan once, however often it is sent.
import { Button, Group, Stack, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import type { components } from '../api/coordinator.generated';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { dollars } from '../look/numbers';
import { Answer, Problem } from '../look/states';

type Retry = components['schemas']['RetryMissingAnswer'];

export function RetryDialog({ month, onClose }: { month: string; onClose: () => void }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const ask = (body: components['schemas']['RetryMissingDto']) =>
    bodyOf(api.coordinator.POST('/months/{month}/retry-missing', { params: { path: { month } }, body }));
  const plan = useQuery({
    queryKey: ['retry plan', month],
    queryFn: () => ask({ dry_run: true }),
    ...{ gcTime: 0, staleTime: Infinity },
  });
  const act = useMutation({
    mutationFn: ({ plan_id }: Retry) => ask({ plan_id, dry_run: false }),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['months'] }),
  });
  return (
    <Dialog title={`Retry the missing of ${month}`} size="lg" onClose={onClose}>
      {act.data ? (
        <Stack>
          <Text role="status">Started again: {act.data.started}.</Text>
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <Answer query={plan} waiting="Making the plan">
          {(planned) => (
            <Stack>
              <dl className="facts">
                {counts.map(([name, label]) => (
                  <div key={name}>
                    <dt>{label}</dt>
                    <dd>{planned[name].toLocaleString('en')}</dd>
                  </div>
                ))}
              </dl>
              <Text>
                Each profile that starts again is paid for again.
                {planned.expected_cost_usd !== null && ` Expected cost ${dollars(planned.expected_cost_usd)}.`}
              </Text>
              {act.isError && <Problem error={act.error} />}
              <Group justify="flex-end">
                <Button variant="default" onClick={onClose}>
                  Cancel
                </Button>
                <Button loading={act.isPending} disabled={planned.started === 0} onClick={() => act.mutate(planned)}>
                  Start again
                </Button>
              </Group>
            </Stack>
          )}
        </Answer>
      )}
    </Dialog>
  );
}

const counts = [
  ['started', 'Will start again'],
  ['on_their_way', 'On their way, left alone'],
  ['done', 'Done, left alone'],
  ['not_known', 'Not known'],
] as const satisfies [keyof Retry, string][];
