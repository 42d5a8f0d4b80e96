// All jobs, newest first: filters in the address, and those that run are followed.
import { Button, Group, NativeSelect, Table, TextInput } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { LateInput } from '../look/late-input';
import { Answer, Heading, Moment, Pages, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
import { isUnderWay, type Job } from './job.types';
import { JobsParts } from './jobs-parts';
import { PlanDialog } from './plan-dialog';
import { StartDialog } from './start-dialog';

const route = getRouteApi('/jobs');
const pageSize = 25;
/** How often jobs that run are asked for again, and how often new ones are looked for. */
const followMs = 3000;
const lookMs = 15_000;

export function JobsScreen() {
  const { api, user } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery({
    queryKey: ['jobs', search],
    queryFn: () =>
      bodyOf(
        api.interactions.GET('/scraper/network/interactions', {
          params: {
            query: {
              limit: pageSize,
              ...(search.company && { user_company_id: search.company }),
              // The service refuses what it does not know.
              ...(search.status && { status: [search.status as Job['status']] }),
              ...(search.entity && { entity: search.entity as Job['entity'] }),
              ...(search.handle && { network_handle: search.handle }),
              ...spanOf(search),
              ...(search.cursor && { cursor: search.cursor }),
            },
          },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: ({ state }) => (state.data?.interactions.some(isUnderWay) ? followMs : lookMs),
  });
  const filter = (change: Partial<typeof search>) =>
    void navigate({ search: ({ cursor: _, ...kept }) => ({ ...kept, ...change }), replace: true });
  const isFiltered = Boolean(
    search.company || search.status || search.entity || search.handle || search.from || search.until,
  );
  return (
    <>
      <Heading
        title="Jobs"
        lead="Each job reads the posts, comments and reactions of one person or company."
        actions={
          <Group gap="sm">
            {user.role === 'ADMIN' && (
              <>
                <Button variant="default" onClick={() => void navigate({ search: { ...search, plan: 're-run' } })}>
                  Start failed again
                </Button>
                <Button variant="default" onClick={() => void navigate({ search: { ...search, plan: 'abort' } })}>
                  Abort running
                </Button>
              </>
            )}
            <Button onClick={() => void navigate({ search: { ...search, start: 'yes' } })}>Start jobs</Button>
          </Group>
        }
      />
      <JobsParts />
      <form className="filters" aria-label="Filters" onSubmit={(event) => event.preventDefault()}>
        <NativeSelect
          label="State"
          value={search.status ?? ''}
          onChange={({ target }) => filter({ status: target.value })}
          data={[
            { value: '', label: 'Any' },
            ...['PENDING', 'RUNNING', 'COMPLETED', 'FAILED', 'ABORTED'].map((value) => ({
              value,
              label: value.toLowerCase(),
            })),
          ]}
        />
        <NativeSelect
          label="Kind"
          value={search.entity ?? ''}
          onChange={({ target }) => filter({ entity: target.value })}
          data={[
            { value: '', label: 'Any' },
            { value: 'PERSON', label: 'person' },
            { value: 'COMPANY', label: 'company' },
          ]}
        />
        <LateInput label="Handle" value={search.handle ?? ''} onChange={(handle) => filter({ handle })} />
        <TextInput
          label="Started from"
          type="date"
          value={search.from ?? ''}
          onChange={({ target }) => filter({ from: target.value })}
        />
        <TextInput
          label="Until"
          type="date"
          value={search.until ?? ''}
          onChange={({ target }) => filter({ until: target.value })}
        />
        {user.companyId === undefined && (
          <LateInput label="Company id" value={search.company ?? ''} onChange={(company) => filter({ company })} />
        )}
      </form>
      <Answer
        query={query}
        waiting="Loading jobs"
        isEmpty={({ interactions }) => interactions.length === 0}
        empty={isFiltered ? 'No job fits these filters.' : 'No jobs yet. Start the first one.'}
      >
        {({ interactions, next_cursor: next }) => (
          <>
            <div className="card table-card" tabIndex={0} role="region" aria-label="Jobs">
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Target</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Company id</Table.Th>
                    <Table.Th>Stored</Table.Th>
                    <Table.Th>Cost</Table.Th>
                    <Table.Th>Started</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {interactions.map((job) => (
                    <Table.Tr key={job.job_id}>
                      <Table.Td>
                        <TextLink to="/jobs/$jobId" params={{ jobId: job.job_id }}>
                          {job.network_handle}
                        </TextLink>
                      </Table.Td>
                      <Table.Td>
                        <Tag state={job.status} />
                      </Table.Td>
                      <Table.Td>{job.user_company_id}</Table.Td>
                      <Table.Td style={{ minWidth: '13rem' }}>{storedOf(job)}</Table.Td>
                      <Table.Td>{job.cost_usd === null ? '–' : `$${job.cost_usd.toFixed(3)}`}</Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={job.created_at} />
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
            <Pages
              first={
                search.cursor && (
                  <TextLink to="/jobs" search={{ ...search, cursor: undefined }}>
                    First page
                  </TextLink>
                )
              }
              next={
                next && (
                  <TextLink to="/jobs" search={{ ...search, cursor: next }}>
                    Next page
                  </TextLink>
                )
              }
            />
          </>
        )}
      </Answer>
      {search.start && <StartDialog onClose={() => void navigate({ search: ({ start: _, ...kept }) => kept })} />}
      {(search.plan === 're-run' || search.plan === 'abort') && (
        <PlanDialog
          action={search.plan}
          of={{
            ...(search.company && { user_company_id: search.company }),
            ...(search.handle && { network_handle: search.handle }),
            ...(search.entity && { entity: search.entity as Job['entity'] }),
            ...spanOf(search),
          }}
          onClose={() => void navigate({ search: ({ plan: _, ...kept }) => kept })}
        />
      )}
    </>
  );
}

/** Whole days in UTC, as the costs are counted; the service refuses what is no day. */
function spanOf({ from, until }: { from?: string; until?: string }) {
  const next = until === undefined ? NaN : Date.parse(`${until}T00:00:00Z`) + 86_400_000;
  return {
    ...(from && { created_from: `${from}T00:00:00Z` }),
    ...(until && { created_before: Number.isNaN(next) ? until : new Date(next).toISOString() }),
  };
}

const storedOf = ({ posts_count: posts, comments_count: comments, reactions_count: reactions }: Job) =>
  posts === null ? '–' : `${posts} posts, ${comments} comments, ${reactions} reactions`;
