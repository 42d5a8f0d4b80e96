// Webhooks of the provider that named no profile, latest first.
import { NativeSelect, Table } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { number } from '../look/numbers';
import { Answer, Moment, Pages, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
import { MonthsHeading } from './months-heading';

const route = getRouteApi('/months/unusable-webhooks');
const pageSize = 25;
const followMs = 10_000;

export function UnusableWebhooksScreen() {
  const { api } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const isAll = search.show === 'all';
  const query = useQuery({
    queryKey: ['unusable webhooks', search],
    queryFn: () =>
      bodyOf(
        api.priorityWebhook.GET('/admin/unusable-webhooks', {
          params: { query: { limit: pageSize, with_dropped: isAll, ...(search.cursor && { cursor: search.cursor }) } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: followMs,
  });
  return (
    <>
      <MonthsHeading />
      <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <NativeSelect
          label="Show"
          value={isAll ? 'all' : ''}
          onChange={({ target }) => void navigate({ search: { show: target.value }, replace: true })}
          data={[
            { value: '', label: 'open ones' },
            { value: 'all', label: 'all of them' },
          ]}
        />
      </form>
      <Answer
        query={query}
        waiting="Loading webhooks"
        isEmpty={({ unusable_webhooks: webhooks }) => webhooks.length === 0}
        empty={
          isAll ? 'Every webhook named its profile.' : 'No open one: every webhook named its profile, or was dropped.'
        }
      >
        {({ unusable_webhooks: webhooks, next_cursor: next }) => (
          <>
            <div className="card table-card" tabIndex={0} role="region" aria-label="Unusable webhooks">
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Id</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Reason</Table.Th>
                    <Table.Th>Received</Table.Th>
                    <Table.Th>Last received</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {webhooks.map((webhook) => (
                    <Table.Tr key={webhook.id}>
                      <Table.Td>
                        <TextLink to="/months/unusable-webhooks/$webhookId" params={{ webhookId: webhook.id }}>
                          {webhook.id.slice(0, 8)}
                        </TextLink>
                      </Table.Td>
                      <Table.Td>
                        <Tag state={webhook.dropped_at === null ? 'open' : 'dropped'} />
                      </Table.Td>
                      <Table.Td style={{ minWidth: '16rem' }}>{webhook.reason}</Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        {webhook.times === 1 ? 'once' : `${number(webhook.times)} times`}
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={webhook.last_received_at} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
            <Pages
              first={
                search.cursor && (
                  <TextLink to="/months/unusable-webhooks" search={{ ...search, cursor: undefined }}>
                    First page
                  </TextLink>
                )
              }
              next={
                next && (
                  <TextLink to="/months/unusable-webhooks" search={{ ...search, cursor: next }}>
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
