// What a job has stored, as a person reads it: posts, comments and reactions, page by page.
import { Button, Text, Title } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import './job-items.css';
import { bodyOf } from '../api/api';
import type { components } from '../api/interactions.generated';
import { useConsole } from '../console-context';
import { counted, number } from '../look/numbers';
import { Empty, Moment, Problem, Waiting } from '../look/states';
import { SubScreens } from '../look/sub-screens';
import { isUnderWay, type Job } from './job.types';

type Item = components['schemas']['JobItemDto'];

const pageSize = 20;
const kinds = {
  post: { label: 'Posts', one: 'post', countOf: (job: Job) => job.posts_count },
  comment: { label: 'Comments', one: 'comment', countOf: (job: Job) => job.comments_count },
  reaction: { label: 'Reactions', one: 'reaction', countOf: (job: Job) => job.reactions_count },
} as const;
export type ItemKind = keyof typeof kinds;

export const isItemKind = (text: string | undefined): text is ItemKind => text !== undefined && text in kinds;

export function JobItems({ job, kind }: { job: Job; kind: ItemKind }) {
  const { api } = useConsole();
  const { job_id: jobId } = job;
  const query = useInfiniteQuery({
    // With the state: a job that has just ended has stored more.
    queryKey: ['items', jobId, kind, job.status],
    queryFn: ({ pageParam: cursor }) =>
      bodyOf(
        api.interactions.GET('/scraper/network/interactions/{run_id}/items', {
          params: { path: { run_id: jobId }, query: { kind, limit: pageSize, ...(cursor !== null && { cursor }) } },
        }),
      ),
    initialPageParam: null as string | null,
    getNextPageParam: ({ next_cursor: next }) => next,
    placeholderData: (before) => before,
  });
  const items = query.data?.pages.flatMap((page) => page.items) ?? [];
  return (
    <section aria-labelledby="items">
      <Title order={2} size="h4" mt="lg" mb={0} id="items">
        Items
      </Title>
      <SubScreens label="Kinds of items">
        {(Object.keys(kinds) as ItemKind[]).map((one) => {
          const count = kinds[one].countOf(job);
          return (
            <Link
              key={one}
              to="/jobs/$jobId"
              params={{ jobId }}
              search={one === 'post' ? {} : { items: one }}
              replace
              resetScroll={false}
              activeProps={{}}
              aria-current={one === kind ? 'page' : undefined}
            >
              {kinds[one].label}
              {count !== null && ` (${number(count)})`}
            </Link>
          );
        })}
      </SubScreens>
      {query.isPending && <Waiting what="Loading items" />}
      {query.isError && <Problem error={query.error} onRetry={() => void query.refetch()} />}
      {query.isSuccess && items.length === 0 && (
        <Empty>
          {isUnderWay(job)
            ? `No ${kinds[kind].one} is stored yet. The items come when the run has ended.`
            : `This job has stored no ${kinds[kind].one}.`}
        </Empty>
      )}
      {items.length > 0 && (
        <ol className="items">
          {items.map((item) => (
            <li key={item.id} className="card">
              {kind === 'reaction' ? <Reaction item={item} /> : <Writing item={item} />}
            </li>
          ))}
        </ol>
      )}
      {query.hasNextPage && (
        <Button mt="sm" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          More {kinds[kind].label.toLowerCase()}
        </Button>
      )}
    </section>
  );
}

function Writing({ item }: { item: Item }) {
  const facts = [
    ...(item.is_repost ? ['a repost'] : []),
    ...(item.likes === null ? [] : [counted(item.likes, 'like')]),
    ...(item.comments === null ? [] : [counted(item.comments, 'comment')]),
    ...(item.shares === null ? [] : [counted(item.shares, 'share')]),
  ];
  return (
    <>
      <Text size="sm" c="dimmed" component="div">
        <Author item={item} />
        {item.at !== null && (
          <>
            , <Moment at={item.at} />
          </>
        )}
      </Text>
      {item.text && <p className="item-text">{item.text}</p>}
      <Text size="sm" c="dimmed" component="div">
        {facts.join(' · ')}
        {isAddress(item.url) && (
          <>
            {facts.length > 0 && ' · '}
            <Outside to={item.url}>In the network</Outside>
          </>
        )}
      </Text>
    </>
  );
}

function Reaction({ item }: { item: Item }) {
  return (
    <Text component="div">
      <Author item={item} /> <span className="tag">{(item.reaction_type ?? 'reaction').toLowerCase()}</span>
    </Text>
  );
}

function Author({ item: { author_name: name, author_url: url, author_position: position } }: { item: Item }) {
  return (
    <>
      <span className="item-author">
        {isAddress(url) ? <Outside to={url}>{name ?? url}</Outside> : (name ?? 'somebody without a name')}
      </span>
      {position && `, ${position}`}
    </>
  );
}

/** What was scraped may be any text: only addresses of the web become links. */
const isAddress = (url: string | null): url is string => url !== null && /^https?:\/\//i.test(url);

function Outside({ to, children }: { to: string; children: string }) {
  return (
    <a href={to} target="_blank" rel="noopener noreferrer nofollow" className="outside">
      {children}
    </a>
  );
}
