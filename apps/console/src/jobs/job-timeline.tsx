// What happened to a job, oldest first: its states, calls to the provider, webhooks.
import { Button, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Empty, Moment, Problem, Waiting } from '../look/states';
import { isUnderWay, type Job } from './job.types';
import { sentenceOf } from './timeline-sentence';

const pageSize = 50;
const followMs = 2000;

export function JobTimeline({ job }: { job: Job }) {
  const { api } = useConsole();
  const { job_id: jobId } = job;
  const query = useInfiniteQuery({
    // With the state: the last entries of a job that has just ended are asked for, too.
    queryKey: ['timeline', jobId, job.status],
    queryFn: ({ pageParam: cursor }) =>
      bodyOf(
        api.interactions.GET('/admin/jobs/{job_id}/timeline', {
          params: { path: { job_id: jobId }, query: { limit: pageSize, ...(cursor !== null && { cursor }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    placeholderData: (before) => before,
    // The service writes calls to the provider half a second late.
    staleTime: followMs,
    refetchInterval: isUnderWay(job) ? followMs : false,
  });
  const entries = query.data?.pages.flatMap(({ timeline }) => timeline) ?? [];
  return (
    <section aria-labelledby="timeline">
      <Title order={2} size="h4" mt="lg" mb="xs" id="timeline">
        What happened
      </Title>
      {query.isPending && <Waiting what="Loading what happened" />}
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && entries.length === 0 && <Empty>Nothing was recorded for this job.</Empty>}
      {entries.length > 0 && (
        <ol className="card timeline" aria-labelledby="timeline">
          {entries.map((entry, place) => (
            // Entries are only added at the end.
            <li key={place} data-kind={entry.kind}>
              <Text component="span" c="dimmed" size="sm">
                <Moment at={entry.at} isWithSeconds />
              </Text>
              <span>
                {sentenceOf(entry)}
                {entry.times > 1 && (
                  <>
                    , {entry.times} times until <Moment at={entry.last_at} isWithSeconds />
                  </>
                )}
              </span>
            </li>
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <Button mt="sm" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          What happened next
        </Button>
      )}
    </section>
  );
}
