// What runs at this moment: jobs, and the monthly run.
import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { number } from '../look/numbers';
import { Answer, Moment } from '../look/states';
import { TextLink } from '../look/text-link';

const askMs = 5000;
/** Jobs that are counted for somebody who sees those of one company. */
const countedMax = 200;

export function RunningNow() {
  const { api, user } = useConsole();
  const query = useQuery({
    queryKey: ['running now'],
    queryFn: async () => {
      const [jobs, { runs }] = await Promise.all([
        user.role === 'ADMIN'
          ? bodyOf(api.interactions.GET('/admin/jobs/days', { params: { query: { days: 1 } } }))
          : countJobs(),
        bodyOf(api.coordinator.GET('/runs', { params: { query: { limit: 1 } } })),
      ]);
      return { jobs, run: runs[0] };
    },
    refetchInterval: askMs,
  });
  async function countJobs() {
    const { interactions: jobs } = await bodyOf(
      api.interactions.GET('/scraper/network/interactions', {
        params: { query: { status: ['PENDING', 'RUNNING'], limit: countedMax } },
      }),
    );
    const running = jobs.filter(({ status }) => status === 'RUNNING').length;
    return { running, pending: jobs.length - running, oldest_active_at: jobs.at(-1)?.created_at ?? null };
  }
  return (
    <section aria-labelledby="running">
      <Title order={2} size="h4" mt="lg" mb="xs" id="running">
        Runs now
      </Title>
      <Answer query={query} waiting="Asking what runs">
        {({ jobs, run }) => (
          <div className="card">
            <dl className="facts">
              <div>
                <dt>Jobs that run</dt>
                <dd>
                  <TextLink to="/jobs" search={{ status: 'RUNNING' }}>
                    {number(jobs.running)}
                  </TextLink>
                </dd>
              </div>
              <div>
                <dt>Jobs that wait</dt>
                <dd>
                  <TextLink to="/jobs" search={{ status: 'PENDING' }}>
                    {number(jobs.pending)}
                  </TextLink>
                </dd>
              </div>
              <div>
                <dt>The oldest since</dt>
                <dd>
                  <Moment at={jobs.oldest_active_at} />
                </dd>
              </div>
              <div>
                <dt>Monthly run</dt>
                <dd>
                  {run === undefined ? (
                    'none yet'
                  ) : (
                    <TextLink to="/months" search={{ month: run.month }}>
                      {run.month}:{' '}
                      {run.status === 'completed'
                        ? 'ended'
                        : `${run.status}, ${number(run.published_profiles)} of ${number(run.selected)}`}
                    </TextLink>
                  )}
                </dd>
              </div>
            </dl>
          </div>
        )}
      </Answer>
    </section>
  );
}
