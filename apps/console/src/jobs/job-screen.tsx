// One job: what it is to read, how it goes, what it has stored, what happened, and its end.
import { Button, Group, Text } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Confirm } from '../look/confirm';
import { Answer, Heading, Moment, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
import { isItemKind, JobItems } from './job-items';
import { JobTimeline } from './job-timeline';
import { isUnderWay, type Job } from './job.types';
import { PlanDialog } from './plan-dialog';

const route = getRouteApi('/jobs/$jobId');
const followMs = 2000;

export function JobScreen() {
  const { api } = useConsole();
  const { jobId } = route.useParams();
  const query = useQuery({
    queryKey: ['jobs', jobId],
    queryFn: () =>
      bodyOf(api.interactions.GET('/scraper/network/interactions/{run_id}', { params: { path: { run_id: jobId } } })),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data) ? followMs : false),
  });
  return (
    <>
      <Text mb="xs">
        <TextLink to="/jobs">Jobs</TextLink>
      </Text>
      <Answer query={query} waiting="Loading the job">
        {(job) => <JobDetails job={job} />}
      </Answer>
    </>
  );
}

function JobDetails({ job }: { job: Job }) {
  const { api, user } = useConsole();
  const { items } = route.useSearch();
  const queries = useQueryClient();
  const [isAborting, setIsAborting] = useState(false);
  const [isStarting, setIsStarting] = useState(false);
  const target = { network_handle: job.network_handle, entity: job.entity };
  const abort = async () => {
    const { results } = await bodyOf(
      api.interactions.POST('/scraper/network/abort-run', {
        body: { user_company_id: job.user_company_id, targets: [target] },
      }),
    );
    await queries.invalidateQueries({ queryKey: ['jobs'] });
    const { error } = results[0] ?? {};
    if (error) throw new Error(error);
  };
  const number = (value: number | null) => (value === null ? '–' : value.toLocaleString('en'));
  const facts: [string, React.ReactNode][] = [
    ['Kind', job.entity.toLowerCase()],
    ['Company id', job.user_company_id],
    ['Started', <Moment key="at" at={job.created_at} />],
    ['Ended', <Moment key="at" at={job.completed_date} />],
    ['Posts', number(job.posts_count)],
    ['Comments', number(job.comments_count)],
    ['Reactions', number(job.reactions_count)],
    ['Left over', number(job.left_over_count)],
    ['Cost', job.cost_usd === null ? '–' : `$${job.cost_usd.toFixed(4)}`],
    ['Started by', job.triggered_by ?? '–'],
    ['Aborted by', job.aborted_by ?? '–'],
    ['Run at the provider', job.run_id ?? '–'],
  ];
  return (
    <>
      <Heading
        title={job.network_handle}
        lead={<Tag state={job.status} />}
        actions={
          isUnderWay(job) ? (
            <Button variant="default" onClick={() => setIsAborting(true)}>
              Abort
            </Button>
          ) : (
            job.status === 'FAILED' &&
            user.role === 'ADMIN' && (
              <Button variant="default" onClick={() => setIsStarting(true)}>
                Start again
              </Button>
            )
          )
        }
      />
      {job.error && (
        <Group className="problem" mb="md">
          <Text>{job.error}</Text>
        </Group>
      )}
      <div className="card">
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <JobItems job={job} kind={isItemKind(items) ? items : 'post'} />
      {user.role === 'ADMIN' && <JobTimeline job={job} />}
      {isStarting && <PlanDialog action="re-run" of={{ job_ids: [job.job_id] }} onClose={() => setIsStarting(false)} />}
      {isAborting && (
        <Confirm
          title="Abort this job?"
          text="What was not read yet is not stored. The provider may still charge what it has done."
          action="Abort the job"
          onClose={() => setIsAborting(false)}
          onConfirm={abort}
        />
      )}
    </>
  );
}
