// Where a user is signed in; each session can be ended.
import { Button, Table } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../api/api';
import type { components } from '../api/identity.generated';
import { useConsole } from '../console-context';
import { Confirm } from '../look/confirm';
import { Answer, Moment } from '../look/states';

type Session = components['schemas']['SessionDto'];

const pageSize = 25;

export function SessionsOf({ user }: { user: { id: string; email: string } }) {
  const { api, user: me } = useConsole();
  const queries = useQueryClient();
  const [ending, setEnding] = useState<Session>();
  const query = useInfiniteQuery({
    queryKey: ['users', user.id, 'sessions'],
    queryFn: ({ pageParam: cursor }) =>
      bodyOf(
        api.identity.GET('/admin/users/{user_id}/sessions', {
          params: { path: { user_id: user.id }, query: { limit: pageSize, ...(cursor && { cursor }) } },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  return (
    <>
      <Answer
        query={query}
        waiting="Loading sessions"
        isEmpty={({ pages }) => pages.every(({ sessions }) => sessions.length === 0)}
        empty="The user is signed in nowhere."
      >
        {({ pages }) => (
          <div className="card table-card" tabIndex={0} role="region" aria-label="Sessions">
            <Table verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Browser</Table.Th>
                  <Table.Th>Network address</Table.Th>
                  <Table.Th>Signed in</Table.Th>
                  <Table.Th>Last used</Table.Th>
                  <Table.Th>Ends</Table.Th>
                  <Table.Th>Actions</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {pages
                  .flatMap(({ sessions }) => sessions)
                  .map((session) => (
                    <Table.Tr key={session.id}>
                      <Table.Td style={{ minWidth: '14rem' }}>{session.browser ?? '–'}</Table.Td>
                      <Table.Td>{session.address ?? '–'}</Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={session.signed_in_at} />
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={session.used_at} />
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={session.expires_at} />
                      </Table.Td>
                      <Table.Td>
                        <Button
                          size="compact-sm"
                          variant="default"
                          aria-label={`End the session at ${session.address ?? 'an unknown address'}`}
                          onClick={() => setEnding(session)}
                        >
                          End
                        </Button>
                      </Table.Td>
                    </Table.Tr>
                  ))}
              </Table.Tbody>
            </Table>
          </div>
        )}
      </Answer>
      {query.hasNextPage && (
        <Button mt="sm" variant="default" loading={query.isFetchingNextPage} onClick={() => void query.fetchNextPage()}>
          Show more sessions
        </Button>
      )}
      {ending && (
        <Confirm
          title={`End this session of ${user.email}?`}
          text={
            user.id === me.id
              ? 'It ends as if you had signed out there. It may be the one that you use now.'
              : 'It ends as if the user had signed out there.'
          }
          action="End the session"
          onClose={() => setEnding(undefined)}
          onConfirm={async () => {
            const path = { user_id: user.id, session_id: ending.id };
            await bodyOf<unknown>(
              api.identity.POST('/admin/users/{user_id}/sessions/{session_id}/end', { params: { path } }),
            );
            await queries.invalidateQueries({ queryKey: ['users', user.id] });
          }}
        />
      )}
    </>
  );
}
