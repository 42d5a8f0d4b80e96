// What is left of the limits, and the data calls of the last days as a plot with its table.
import { Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import type { components } from '../api/graphql-gateway.generated';
import { useConsole } from '../console-context';
import { DayChart } from '../look/day-chart';
import { Answer, Moment } from '../look/states';

type LimitUse = components['schemas']['LimitUseDto'];

const chartDays = 30;

export function Usage() {
  const { api } = useConsole();
  const usage = useQuery({ queryKey: ['keys', 'usage'], queryFn: () => bodyOf(api.gateway.GET('/usage')) });
  const days = useQuery({
    queryKey: ['keys', 'usage', 'days'],
    queryFn: () => bodyOf(api.gateway.GET('/usage/days', { params: { query: { days: chartDays } } })),
  });
  return (
    <div className="usage">
      <Answer query={usage} waiting="Loading your usage">
        {({ data_calls: calls, requests, refused_today: refused }) => (
          <div className="grid">
            <LimitCard title="Data calls left today" use={calls} />
            <LimitCard title="Other requests left this minute" use={requests} />
            <section className="card">
              <Title order={2} size="h5">
                Refused today
              </Title>
              <Text size="xl" fw={650}>
                {refused.toLocaleString('en')}
              </Text>
              <Text size="sm" c="dimmed" mt="xs">
                Requests with your keys beyond a limit
              </Text>
            </section>
          </div>
        )}
      </Answer>
      <Answer query={days} waiting="Loading the last days">
        {({ days: list }) => (
          <DayChart
            title={`Your data calls, last ${chartDays} days`}
            days={list.map(({ day }) => day)}
            series={[{ name: 'Data calls', tone: 'brand', values: list.map(({ data_calls: calls }) => calls) }]}
          />
        )}
      </Answer>
    </div>
  );
}

function LimitCard({ title, use: { limit, remaining, resets_at: resetsAt } }: { title: string; use: LimitUse }) {
  return (
    <section className="card">
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text size="xl" fw={650}>
        {remaining.toLocaleString('en')} of {limit.toLocaleString('en')}
      </Text>
      <div className="bar" aria-hidden="true">
        <span style={{ width: `${(100 * remaining) / Math.max(1, limit)}%` }} />
      </div>
      <Text size="sm" c="dimmed" mt="xs">
        Full again <Moment at={resetsAt} />
      </Text>
    </section>
  );
}
