// An action on jobs: first the plan of the service, which changes nothing, then the same jobs for real.
import { Button, Group, Stack, Table, Text } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../api/api';
import type { components } from '../api/interactions.generated';
import { useConsole } from '../console-context';
import { Dialog } from '../look/dialog';
import { Answer, Empty, Problem, Tag } from '../look/states';

/** Most that one request takes. */
const jobsMax = 200;

type Request = components['schemas']['BulkRequestDto'];
export type JobAction = 're-run' | 'abort';
/** Which jobs: as the service takes them. */
export type JobsOfPlan = Pick<
  Request,
  'user_company_id' | 'network_handle' | 'entity' | 'job_ids' | 'created_from' | 'created_before'
>;

interface Outcome {
  jobs: { job_id: string; network_handle: string; user_company_id: string; outcome: string }[];
  matched: number;
  next_cursor: string | null;
  expected_cost_usd?: number;
  cost_usd_max?: number;
}

const words = {
  're-run': { title: 'Start failed jobs again', act: 'Start again', none: 'No failed job of these can start again.' },
  abort: { title: 'Abort jobs', act: 'Abort', none: 'None of these jobs runs.' },
} as const;

export function PlanDialog({ action, of, onClose }: { action: JobAction; of: JobsOfPlan; onClose: () => void }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [isDone, setIsDone] = useState(false);
  const ask = (body: Partial<Request>): Promise<Outcome> =>
    action === 're-run'
      ? bodyOf(api.interactions.POST('/admin/jobs/re-run', { body: { limit: jobsMax, dry_run: true, ...body } }))
      : bodyOf(api.interactions.POST('/admin/jobs/abort', { body: { limit: jobsMax, dry_run: true, ...body } }));
  const plan = useQuery({
    queryKey: ['plan', action, of],
    queryFn: () => ask({ ...of, dry_run: true }),
    // A plan is of one moment: it is neither kept nor asked for while it is read.
    ...{ gcTime: 0, staleTime: Infinity, enabled: !isDone },
  });
  const act = useMutation({
    // Exactly the jobs that were shown: others may have failed since.
    mutationFn: ({ jobs }: Outcome) => ask({ job_ids: begunOf(jobs).map(({ job_id }) => job_id), dry_run: false }),
    onSuccess: () => {
      setIsDone(true);
      return queries.invalidateQueries({ queryKey: ['jobs'] });
    },
  });
  const { title, act: label, none } = words[action];
  return (
    <Dialog title={title} size="lg" onClose={onClose}>
      {act.data ? (
        <Stack>
          <Text role="status">
            {count(begunOf(act.data.jobs).length)} {action === 're-run' ? 'started again.' : 'will be aborted.'}
          </Text>
          <JobsTable jobs={act.data.jobs} />
          <Group justify="flex-end">
            <Button onClick={onClose}>Done</Button>
          </Group>
        </Stack>
      ) : (
        <Answer query={plan} waiting="Making the plan" isEmpty={({ jobs }) => jobs.length === 0} empty={none}>
          {(planned) => (
            <Stack>
              <Text className="notice" role="status">
                {summaryOf(action, planned)}
              </Text>
              <JobsTable jobs={planned.jobs} />
              {act.isError && <Problem error={act.error} />}
              <Group justify="flex-end">
                <Button variant="default" onClick={onClose}>
                  Cancel
                </Button>
                <Button
                  {...(action === 'abort' && { className: 'danger', color: 'red.9' })}
                  loading={act.isPending}
                  disabled={begunOf(planned.jobs).length === 0}
                  onClick={() => act.mutate(planned)}
                >
                  {label}
                </Button>
              </Group>
            </Stack>
          )}
        </Answer>
      )}
    </Dialog>
  );
}

function JobsTable({ jobs }: Pick<Outcome, 'jobs'>) {
  if (jobs.length === 0) return <Empty>Nothing was left to do.</Empty>;
  return (
    <div className="card table-card plan" tabIndex={0} role="region" aria-label="Jobs of the plan">
      <Table verticalSpacing="xs">
        <Table.Thead>
          <Table.Tr>
            <Table.Th>Target</Table.Th>
            <Table.Th>Company id</Table.Th>
            <Table.Th>Outcome</Table.Th>
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {jobs.map((job) => (
            <Table.Tr key={job.job_id}>
              <Table.Td>{job.network_handle}</Table.Td>
              <Table.Td>{job.user_company_id}</Table.Td>
              <Table.Td>
                <Tag state={job.outcome} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </div>
  );
}

const begunOf = (jobs: Outcome['jobs']) =>
  jobs.filter(({ outcome }) => ['would_start', 'started', 'would_abort', 'abort_requested'].includes(outcome));

const count = (jobs: number) => (jobs === 1 ? 'One job' : `${jobs.toLocaleString('en')} jobs`);
const dollars = (usd: number) => `$${usd.toFixed(2)}`;

function summaryOf(action: JobAction, { jobs, matched, next_cursor: next, ...costs }: Outcome): string {
  const begun = begunOf(jobs).length;
  const sentences = [
    `${count(begun)} of ${matched.toLocaleString('en')} will ${action === 'abort' ? 'end' : 'start'}.`,
  ];
  if (costs.expected_cost_usd !== undefined && costs.cost_usd_max !== undefined) {
    sentences.push(`Expected cost ${dollars(costs.expected_cost_usd)}, at most ${dollars(costs.cost_usd_max)}.`);
  }
  if (next !== null) sentences.push(`These are the newest ${jobs.length}; repeat it for the rest.`);
  return sentences.join(' ');
}
