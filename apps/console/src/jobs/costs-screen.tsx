// What companies have spent in a month, and may spend.
import { Button, Group, Table, Text, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { isMonth, monthOf } from '../look/days';
import { dollars } from '../look/numbers';
import { Answer, Heading, Pages } from '../look/states';
import { TextLink } from '../look/text-link';
import { BudgetBar } from './budget-bar';
import { JobsParts } from './jobs-parts';
import { MonthSwitch } from './month-switch';

const route = getRouteApi('/jobs/costs');
const pageSize = 25;

export function CostsScreen() {
  const { api, user } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const month = isMonth(search.month) ? search.month : monthOf();
  const query = useQuery({
    queryKey: ['budgets', month, search.cursor],
    queryFn: () =>
      bodyOf(
        api.interactions.GET('/admin/budgets', {
          params: { query: { month, limit: pageSize, ...(search.cursor && { cursor: search.cursor }) } },
        }),
      ),
    placeholderData: keepPreviousData,
  });
  return (
    <>
      <Heading title="Costs and budgets" lead="What jobs cost, by the month (UTC) in which they were accepted." />
      <JobsParts />
      <Group justify="space-between" align="flex-end" mb="md">
        <MonthSwitch
          month={month}
          link={(one, label) => (
            <TextLink to="/jobs/costs" search={{ month: one }}>
              {label}
            </TextLink>
          )}
        />
        {user.companyId === undefined && (
          <CompanyForm
            onOpen={(companyId) =>
              void navigate({ to: '/jobs/costs/$companyId', params: { companyId }, search: { month } })
            }
          />
        )}
      </Group>
      <Answer
        query={query}
        waiting="Loading costs"
        isEmpty={({ budgets }) => budgets.length === 0}
        empty={`No company has a budget of its own or costs in ${month}.`}
      >
        {({ budgets, next_cursor: next }) => (
          <>
            <div className="card table-card" tabIndex={0} role="region" aria-label="Companies">
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Company</Table.Th>
                    <Table.Th>Spent</Table.Th>
                    <Table.Th>Reserved</Table.Th>
                    <Table.Th>Budget of a month</Table.Th>
                    <Table.Th>Used</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {budgets.map((company) => (
                    <Table.Tr key={company.user_company_id}>
                      <Table.Td>
                        <TextLink
                          to="/jobs/costs/$companyId"
                          params={{ companyId: company.user_company_id }}
                          search={{ month }}
                        >
                          {company.user_company_id}
                        </TextLink>
                      </Table.Td>
                      <Table.Td>{dollars(company.spent_usd)}</Table.Td>
                      <Table.Td>{dollars(company.reserved_usd)}</Table.Td>
                      <Table.Td>
                        {company.budget_usd === null ? 'unlimited' : dollars(company.budget_usd)}
                        {company.is_default && (
                          <Text component="span" size="sm" c="dimmed">
                            {' '}
                            (as everybody)
                          </Text>
                        )}
                      </Table.Td>
                      <Table.Td style={{ minWidth: '10rem' }}>
                        <BudgetBar company={company} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
            <Pages
              first={
                search.cursor && (
                  <TextLink to="/jobs/costs" search={{ month }}>
                    First page
                  </TextLink>
                )
              }
              next={
                next && (
                  <TextLink to="/jobs/costs" search={{ month, cursor: next }}>
                    Next page
                  </TextLink>
                )
              }
            />
          </>
        )}
      </Answer>
    </>
  );
}

/** Also a company that has spent nothing may get a budget. */
function CompanyForm({ onOpen }: { onOpen: (companyId: string) => void }) {
  const [text, setText] = useState('');
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (text.trim() !== '') onOpen(text.trim());
  };
  return (
    <form onSubmit={submit} aria-label="Company">
      <Group align="flex-end" gap="sm" wrap="nowrap">
        <TextInput label="Company id" value={text} onChange={({ target }) => setText(target.value)} />
        <Button type="submit" variant="default">
          Open
        </Button>
      </Group>
    </form>
  );
}
