// Numbers of days as stacked bars, drawn as plain SVG. A table with the same numbers is beside it for screen readers,
// and every bar says its own when the mouse rests on it.
import './day-chart.css';
import { Text, Title, VisuallyHidden } from '@mantine/core';
import { number } from './numbers';

export interface Series {
  name: string;
  tone: 'brand' | 'good' | 'bad' | 'warn';
  /** One for each day. */
  values: readonly number[];
}

/** The bars are drawn on this many units and stretched to the width that there is. */
const barUnits = 10;
const heightUnits = 100;

export function DayChart({
  title,
  days,
  series,
  write = number,
}: {
  title: string;
  /** `YYYY-MM-DD`, one after the other. */
  days: readonly string[];
  series: readonly Series[];
  /** How a number is written. */
  write?: (value: number) => string;
}) {
  const totals = days.map((_, index) => series.reduce((sum, { values }) => sum + (values[index] ?? 0), 0));
  const total = totals.reduce((sum, value) => sum + value, 0);
  const most = Math.max(...totals, 0);
  return (
    <figure className="card day-chart">
      <figcaption>
        <Title order={3} size="h5">
          {title}
        </Title>
        <Text component="span" className="day-chart-total">
          {write(total)}
        </Text>
      </figcaption>
      <div className="day-chart-area" aria-hidden>
        <span className="day-chart-most">{most > 0 && write(most)}</span>
        <svg viewBox={`0 0 ${days.length * barUnits} ${heightUnits}`} preserveAspectRatio="none" focusable="false">
          {days.map((day, index) => (
            <g key={day} className="day-chart-day">
              <title>{titleOf(day, index, series, write)}</title>
              <rect className="day-chart-ground" x={index * barUnits} width={barUnits} height={heightUnits} />
              {stackOf(series, index, most).map(({ tone, top, height }) => (
                <rect
                  key={tone}
                  data-tone={tone}
                  x={index * barUnits + 1.5}
                  width={barUnits - 3}
                  y={heightUnits - top}
                  height={height}
                />
              ))}
            </g>
          ))}
        </svg>
        <div className="day-chart-days">
          <span>{shortDay(days[0])}</span>
          <span>{shortDay(days.at(-1))}</span>
        </div>
      </div>
      {series.length > 1 && (
        <ul className="day-chart-legend" aria-hidden>
          {series.map(({ name, tone, values }) => (
            <li key={name}>
              <span data-tone={tone} /> {name} {write(values.reduce((sum, value) => sum + value, 0))}
            </li>
          ))}
        </ul>
      )}
      <VisuallyHidden>
        <table>
          <caption>{title} by day</caption>
          <thead>
            <tr>
              <th scope="col">Day</th>
              {series.map(({ name }) => (
                <th scope="col" key={name}>
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {days.map((day, index) => (
              <tr key={day}>
                <th scope="row">{day}</th>
                {series.map(({ name, values }) => (
                  <td key={name}>{write(values[index] ?? 0)}</td>
                ))}
              </tr>
            ))}
          </tbody>
        </table>
      </VisuallyHidden>
    </figure>
  );
}

/** The parts of the bar of one day, from the ground up. */
function stackOf(series: readonly Series[], index: number, most: number) {
  let top = 0;
  return series.map(({ tone, values }) => {
    const height = most === 0 ? 0 : ((values[index] ?? 0) / most) * heightUnits;
    top += height;
    return { tone, top, height };
  });
}

const titleOf = (day: string, index: number, series: readonly Series[], write: (value: number) => string) =>
  `${day}: ${series.map(({ name, values }) => `${write(values[index] ?? 0)} ${name.toLowerCase()}`).join(', ')}`;

const shortDay = (day = '') =>
  day && new Date(`${day}T00:00:00Z`).toLocaleString('en', { day: 'numeric', month: 'short', timeZone: 'UTC' });
