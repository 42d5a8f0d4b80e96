// Charts of the last 30 days: jobs by outcome, items, costs, data calls and sign-ins, as the owners of the tables count
// them.
import { Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { DayChart } from '../look/day-chart';
import { dollars } from '../look/numbers';
import { Answer } from '../look/states';

const days = 30;
/** Sums of days change slowly. */
const askMs = 60_000;

export function LastDays() {
  const { user } = useConsole();
  return (
    <section aria-labelledby="last-days">
      <Title order={2} size="h4" mt="lg" mb="xs" id="last-days">
        Last {days} days
      </Title>
      <div className="charts">
        <JobCharts />
        <DataCalls />
        {user.companyId === undefined && <SignIns />}
      </div>
    </section>
  );
}

function JobCharts() {
  const { api } = useConsole();
  const query = useQuery({
    queryKey: ['days of jobs'],
    queryFn: () => bodyOf(api.interactions.GET('/admin/jobs/days', { params: { query: { days } } })),
    refetchInterval: askMs,
  });
  return (
    <Answer query={query} waiting="Loading the jobs of the last days">
      {({ days: list }) => {
        const names = list.map(({ day }) => day);
        const of = (field: 'completed' | 'failed' | 'aborted' | 'posts' | 'comments' | 'reactions' | 'cost_usd') =>
          list.map((day) => day[field]);
        return (
          <>
            <DayChart
              title="Jobs by outcome"
              days={names}
              series={[
                { name: 'Completed', tone: 'good', values: of('completed') },
                { name: 'Failed', tone: 'bad', values: of('failed') },
                { name: 'Aborted', tone: 'warn', values: of('aborted') },
              ]}
            />
            <DayChart
              title="Items stored"
              days={names}
              series={[
                { name: 'Posts', tone: 'brand', values: of('posts') },
                { name: 'Comments', tone: 'good', values: of('comments') },
                { name: 'Reactions', tone: 'warn', values: of('reactions') },
              ]}
            />
            <DayChart
              title="Cost"
              days={names}
              series={[{ name: 'Spent', tone: 'brand', values: of('cost_usd') }]}
              write={dollars}
            />
          </>
        );
      }}
    </Answer>
  );
}

function DataCalls() {
  const { api } = useConsole();
  const query = useQuery({
    queryKey: ['days of data calls'],
    queryFn: () => bodyOf(api.gateway.GET('/admin/usage/days', { params: { query: { days } } })),
    refetchInterval: askMs,
  });
  return (
    <Answer query={query} waiting="Loading the data calls of the last days">
      {({ days: list }) => (
        <DayChart
          title="Data calls"
          days={list.map(({ day }) => day)}
          series={[{ name: 'Data calls', tone: 'brand', values: list.map(({ data_calls: calls }) => calls) }]}
        />
      )}
    </Answer>
  );
}

function SignIns() {
  const { api } = useConsole();
  const query = useQuery({
    queryKey: ['days of sign-ins'],
    queryFn: () => bodyOf(api.identity.GET('/admin/audit/sign-ins', { params: { query: { days } } })),
    refetchInterval: askMs,
  });
  return (
    <Answer query={query} waiting="Loading the sign-ins of the last days">
      {({ days: list }) => (
        <DayChart
          title="Sign-ins"
          days={list.map(({ day }) => day)}
          series={[
            { name: 'Succeeded', tone: 'good', values: list.map(({ succeeded }) => succeeded) },
            { name: 'Failed', tone: 'bad', values: list.map(({ failed }) => failed) },
          ]}
        />
      )}
    </Answer>
  );
}
