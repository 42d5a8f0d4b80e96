// A calendar of the months that have runs, and the progress of the one in the address: as a funnel, with who is missing
// and why.
import { Button, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bodyOf } from '../api/api';
import type { components } from '../api/coordinator.generated';
import { useConsole } from '../console-context';
import { monthName } from '../look/days';
import { number } from '../look/numbers';
import { Answer, Empty, Moment, Tag } from '../look/states';
import { MissingProfiles } from './missing-profiles';
import { MonthRuns } from './month-runs';
import { MonthsHeading } from './months-heading';
import { RetryDialog } from './retry-dialog';
import { RunCalendar, stateOf } from './run-calendar';

type Report = components['schemas']['MonthReportAnswer'];

const route = getRouteApi('/months');
/** As many as the service gives at once: sixteen years. */
const monthsMax = 200;
const followMs = 5000;

export function MonthsScreen() {
  const { api } = useConsole();
  const { month, year } = route.useSearch();
  const query = useQuery({
    queryKey: ['months'],
    queryFn: () => bodyOf(api.coordinator.GET('/months', { params: { query: { limit: monthsMax } } })),
    refetchInterval: ({ state }) => (state.data?.months.some((one) => !one.is_finished) ? followMs : false),
  });
  return (
    <>
      <MonthsHeading />
      <Answer
        query={query}
        waiting="Loading months"
        isEmpty={({ months }) => months.length === 0}
        empty="No month has a run yet. The scheduler starts the next one."
      >
        {({ months }) => {
          const inYear = year ? months.filter((one) => one.month.startsWith(`${year}-`)) : months;
          const shown = month ? months.find((one) => one.month === month) : inYear[0];
          const calendarYear = yearOf(year ?? shown?.month ?? month);
          return (
            <>
              <RunCalendar months={months} year={calendarYear} shown={shown?.month} />
              {shown ? (
                <>
                  <Title order={2} size="h4" mt="lg" mb="xs">
                    {monthName(shown.month)}
                  </Title>
                  <div className="card">
                    <dl className="facts">
                      <div>
                        <dt>State</dt>
                        <dd>
                          <Tag state={stateOf(shown)} />
                        </dd>
                      </div>
                      <div>
                        <dt>Runs</dt>
                        <dd>{number(shown.runs)}</dd>
                      </div>
                      <div>
                        <dt>First run</dt>
                        <dd>
                          <Moment at={shown.first_run_at} />
                        </dd>
                      </div>
                      <div>
                        <dt>Last run</dt>
                        <dd>
                          <Moment at={shown.last_run_at} />
                        </dd>
                      </div>
                    </dl>
                  </div>
                  <MonthProgress month={shown.month} />
                  <MonthRuns month={shown.month} />
                </>
              ) : (
                <Empty>{month ? `The month ${month} has no run.` : `The year ${calendarYear} has no run.`}</Empty>
              )}
            </>
          );
        }}
      </Answer>
    </>
  );
}

/** The year of a month or year in the address; the present one when it is none. */
const yearOf = (text = '') => Number(/^\d{4}/.exec(text)?.[0] ?? new Date().getUTCFullYear());

function MonthProgress({ month }: { month: string }) {
  const { api } = useConsole();
  const { retry } = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['months', month, 'report'],
    queryFn: () =>
      bodyOf(api.coordinator.GET('/months/{month}/report', { params: { path: { month }, query: { names: 0 } } })),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.is_complete === false ? followMs : false),
  });
  return (
    <Answer query={query} waiting="Loading the progress">
      {(report) => (
        <>
          <Funnel report={report} />
          <section aria-labelledby="missing">
            <Title order={2} size="h4" mt="lg" mb="xs" id="missing">
              Missing
            </Title>
            {report.missing === 0 ? (
              <Empty>Nobody is missing: everything is stored and backed up.</Empty>
            ) : (
              <>
                <Button variant="default" mb="sm" onClick={() => void navigate({ search: { month, retry: 'yes' } })}>
                  Retry the missing
                </Button>
                <MissingProfiles month={month} followMs={followMs} />
              </>
            )}
          </section>
          {retry && <RetryDialog month={month} onClose={() => void navigate({ search: { month } })} />}
        </>
      )}
    </Answer>
  );
}

const steps = {
  selected: 'Selected',
  published: 'Published',
  started: 'Started',
  received: 'Received',
  stored: 'Stored',
  backed_up: 'Backed up',
} as const;

function Funnel({ report }: { report: Report }) {
  return (
    <section aria-labelledby="progress">
      <Title order={2} size="h4" mt="lg" mb="xs" id="progress">
        Progress
      </Title>
      <dl className="card funnel">
        {(Object.keys(steps) as (keyof typeof steps)[]).map((step) => (
          <div key={step}>
            <dt>{steps[step]}</dt>
            <dd>
              {number(report[step])}
              <div className="bar" aria-hidden>
                <span
                  style={{ width: `${report.selected === 0 ? 0 : Math.min(1, report[step] / report.selected) * 100}%` }}
                />
              </div>
            </dd>
          </div>
        ))}
      </dl>
      {report.failed > 0 && <Text mt="xs">{number(report.failed)} of these ended without a profile.</Text>}
    </section>
  );
}
