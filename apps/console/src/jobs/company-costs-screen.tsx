// What one company has spent in a month, day by day, its budget, and who changed it.
import { Button, Table, Text, Title } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { bodyOf } from '../api/api';
import type { components } from '../api/interactions.generated';
import { useConsole } from '../console-context';
import { DayChart } from '../look/day-chart';
import { daysOf, isMonth, monthName, monthOf } from '../look/days';
import { dollars } from '../look/numbers';
import { Answer, Empty, Heading, Moment } from '../look/states';
import { TextLink } from '../look/text-link';
import { BudgetBar } from './budget-bar';
import { BudgetDialog } from './budget-dialog';
import { MonthSwitch } from './month-switch';

type Details = components['schemas']['CompanyBudgetDetailsDto'];

const route = getRouteApi('/jobs/costs/$companyId');

export function CompanyCostsScreen() {
  const { api, user } = useConsole();
  const { companyId } = route.useParams();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const month = isMonth(search.month) ? search.month : monthOf();
  const mayChange = user.role === 'ADMIN' && user.companyId === undefined;
  const query = useQuery({
    queryKey: ['budgets', month, 'company', companyId],
    queryFn: () =>
      bodyOf(
        api.interactions.GET('/admin/budgets/{user_company_id}', {
          params: { path: { user_company_id: companyId }, query: { month } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Text mb="xs">
        <TextLink to="/jobs/costs" search={{ month }}>
          Costs and budgets
        </TextLink>
      </Text>
      <Heading
        title={companyId}
        lead={
          <TextLink to="/jobs" search={{ company: companyId }}>
            Its jobs
          </TextLink>
        }
        actions={
          mayChange && (
            <Button variant="default" onClick={() => void navigate({ search: { ...search, set: 'yes' } })}>
              Change the budget
            </Button>
          )
        }
      />
      <MonthSwitch
        month={month}
        link={(one, label) => (
          <TextLink to="/jobs/costs/$companyId" params={{ companyId }} search={{ month: one }}>
            {label}
          </TextLink>
        )}
      />
      <Answer query={query} waiting="Loading the costs">
        {(company) => (
          <>
            <Month company={company} />
            <Changes company={company} />
            {search.set && mayChange && (
              <BudgetDialog
                company={company}
                onClose={() => void navigate({ search: ({ set: _, ...kept }) => kept })}
              />
            )}
          </>
        )}
      </Answer>
    </>
  );
}

function Month({ company }: { company: Details }) {
  const facts: [string, ReactNode][] = [
    ['Spent', dollars(company.spent_usd)],
    ['Reserved by jobs that wait or run', dollars(company.reserved_usd)],
    ['Budget of a month', company.budget_usd === null ? 'unlimited' : dollars(company.budget_usd)],
    ...(company.budget_usd === null
      ? []
      : ([
          ['Left', dollars(Math.max(0, company.budget_usd - company.spent_usd - company.reserved_usd))],
          ['Used', <BudgetBar key="used" company={company} />],
        ] as [string, ReactNode][])),
    ['The budget is', company.is_default ? 'that of everybody' : 'its own'],
  ];
  const days = daysOf(company.month);
  const spent = new Map(company.days.map(({ day, spent_usd: usd }) => [day, usd]));
  return (
    <>
      <div className="card" style={{ margin: '0.75rem 0 1rem' }}>
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      {company.days.length === 0 ? (
        <Empty>No job of {monthName(company.month)} has cost anything.</Empty>
      ) : (
        <DayChart
          title={`Cost in ${monthName(company.month)}`}
          days={days}
          series={[{ name: 'Spent', tone: 'brand', values: days.map((day) => spent.get(day) ?? 0) }]}
          write={dollars}
        />
      )}
    </>
  );
}

function Changes({ company: { changes } }: { company: Details }) {
  return (
    <section aria-labelledby="changes">
      <Title order={2} size="h4" mt="lg" mb="xs" id="changes">
        Changes of the budget
      </Title>
      {changes.length === 0 ? (
        <Empty>Nobody has changed it: it is that of everybody.</Empty>
      ) : (
        <div className="card table-card" tabIndex={0} role="region" aria-label="Changes">
          <Table verticalSpacing="sm">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>When</Table.Th>
                <Table.Th>Budget</Table.Th>
                <Table.Th>By</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {changes.map((change) => (
                <Table.Tr key={change.changed_at}>
                  <Table.Td style={{ whiteSpace: 'nowrap' }}>
                    <Moment at={change.changed_at} />
                  </Table.Td>
                  <Table.Td>
                    {change.budget_usd !== null
                      ? dollars(change.budget_usd)
                      : change.kind === 'unlimited'
                        ? 'unlimited'
                        : 'that of everybody'}
                  </Table.Td>
                  <Table.Td>{change.changed_by}</Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </div>
      )}
    </section>
  );
}
