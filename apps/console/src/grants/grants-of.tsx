// What users allowed applications to do: of a user, or of an application. Each grant can be ended.
import { Button, Table } from '@mantine/core';
import { useInfiniteQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../api/api';
import type { components } from '../api/identity.generated';
import { useConsole } from '../console-context';
import { Confirm } from '../look/confirm';
import { Answer, Moment } from '../look/states';
import { TextLink } from '../look/text-link';

type Grant = components['schemas']['GrantDto'];

const pageSize = 25;

export function GrantsOf({ of }: { of: { user_id: string } | { client_id: string } }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const [ending, setEnding] = useState<Grant>();
  const isOfUser = 'user_id' in of;
  const query = useInfiniteQuery({
    queryKey: ['grants', of],
    queryFn: ({ pageParam: cursor }) =>
      bodyOf(
        api.identity.GET('/admin/grants', {
          params: { query: { ...of, limit: pageSize, ...(cursor && { cursor }) } },
        }),
      ),
    initialPageParam: '',
    getNextPageParam: ({ next_cursor: next }) => next,
  });
  return (
    <>
      <Answer
        query={query}
        waiting="Loading grants"
        isEmpty={({ pages }) => pages.every(({ grants }) => grants.length === 0)}
        empty={isOfUser ? 'The user allowed no application anything.' : 'No user allowed this application anything.'}
      >
        {({ pages }) => (
          <div className="card table-card" tabIndex={0} role="region" aria-label="Grants">
            <Table verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>{isOfUser ? 'Application' : 'User id'}</Table.Th>
                  <Table.Th>About the user</Table.Th>
                  <Table.Th>Resources</Table.Th>
                  <Table.Th>Allowed</Table.Th>
                  <Table.Th>Last used</Table.Th>
                  <Table.Th>Ends</Table.Th>
                  <Table.Th>Actions</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {pages
                  .flatMap(({ grants }) => grants)
                  .map((grant) => (
                    <Table.Tr key={grant.id}>
                      <Table.Td>
                        {isOfUser ? (
                          <TextLink to="/applications/$clientId" params={{ clientId: grant.client_id }}>
                            {grant.client_id}
                          </TextLink>
                        ) : (
                          <TextLink to="/users/$userId" params={{ userId: grant.user_id }}>
                            {grant.user_id.slice(0, 8)}
                          </TextLink>
                        )}
                      </Table.Td>
                      <Table.Td>{grant.scope ?? '–'}</Table.Td>
                      <Table.Td>
                        {grant.resources.map(({ resource }) => resource.split(':').at(-1)).join(', ') || '–'}
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={grant.created_at} />
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={grant.used_at} />
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={grant.expires_at} />
                      </Table.Td>
                      <Table.Td>
                        <Button
                          size="compact-sm"
                          variant="default"
                          aria-label={`End the grant of ${isOfUser ? grant.client_id : grant.user_id.slice(0, 8)}`}
                          onClick={() => setEnding(grant)}
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
          Show more grants
        </Button>
      )}
      {ending && (
        <Confirm
          title={`End this grant of ${ending.client_id}?`}
          text="Its codes and tokens end. The application has to ask the user again."
          action="End the grant"
          onClose={() => setEnding(undefined)}
          onConfirm={async () => {
            const path = { grant_id: ending.id };
            await bodyOf<unknown>(api.identity.POST('/admin/grants/{grant_id}/end', { params: { path } }));
            await queries.invalidateQueries({ queryKey: ['grants'] });
          }}
        />
      )}
    </>
  );
}
