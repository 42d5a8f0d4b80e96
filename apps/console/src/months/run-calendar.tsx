// A year of months as a calendar: which have runs, and how far they are.
import { Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import './months.css';
import type { components } from '../api/coordinator.generated';
import { counted } from '../look/numbers';
import { Tag } from '../look/states';
import { TextLink } from '../look/text-link';

type Month = components['schemas']['MonthDto'];

/** How the state of a month is said, here and beside its facts. */
export const stateOf = ({ is_finished: isFinished, is_whole: isWhole }: Month): string =>
  !isFinished ? 'RUNNING' : isWhole ? 'published' : 'published_in_part';

const names = Array.from({ length: 12 }, (_, index) =>
  new Date(Date.UTC(2026, index)).toLocaleString('en', { month: 'long', timeZone: 'UTC' }),
);

export function RunCalendar({ months, year, shown }: { months: Month[]; year: number; shown: string | undefined }) {
  const found = new Map(months.map((month) => [month.month, month]));
  const years = months.map(({ month }) => Number(month.slice(0, 4)));
  return (
    <section aria-labelledby="calendar">
      <div className="calendar-head">
        <Title order={2} size="h4" id="calendar">
          Runs in {year}
        </Title>
        {years.some((one) => one < year) && (
          <TextLink to="/months" search={{ year: String(year - 1) }}>
            {year - 1}
          </TextLink>
        )}
        {years.some((one) => one > year) && (
          <TextLink to="/months" search={{ year: String(year + 1) }}>
            {year + 1}
          </TextLink>
        )}
      </div>
      <ol className="calendar">
        {names.map((name, index) => {
          const key = `${year}-${String(index + 1).padStart(2, '0')}`;
          const month = found.get(key);
          return (
            <li key={key}>
              {month ? (
                <Link
                  to="/months"
                  search={{ month: key }}
                  className="card calendar-month"
                  // The address may name no month, or one of another year.
                  aria-current={key === shown ? 'true' : undefined}
                  activeProps={{}}
                >
                  <span className="calendar-name">{name}</span>
                  <Tag state={stateOf(month)} />
                  <span className="calendar-line">{counted(month.published_profiles, 'profile')}</span>
                  <span className="calendar-line">{counted(month.runs, 'run')}</span>
                </Link>
              ) : (
                <div className="calendar-month calendar-none">
                  <span className="calendar-name">{name}</span>
                  <Text component="span" size="sm">
                    no run
                  </Text>
                </div>
              )}
            </li>
          );
        })}
      </ol>
    </section>
  );
}
