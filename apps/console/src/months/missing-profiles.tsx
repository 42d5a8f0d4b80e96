// Who is missing in a month and why, a page at a time.
import { Table } from '@mantine/core';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Answer, Pages } from '../look/states';
import { TextLink } from '../look/text-link';

const route = getRouteApi('/months');
const pageSize = 100;

export function MissingProfiles({
  month,
  followMs,
}: {
  month: string;
  /** How often the list is asked for again, milliseconds. */
  followMs: number;
}) {
  const { api, user } = useConsole();
  const { missing: cursor, ...search } = route.useSearch();
  const query = useQuery({
    queryKey: ['months', month, 'missing', cursor],
    queryFn: () =>
      bodyOf(
        api.coordinator.GET('/months/{month}/missing', {
          params: { path: { month }, query: { limit: pageSize, ...(cursor && { cursor }) } },
        }),
      ),
    placeholderData: keepPreviousData,
    refetchInterval: followMs,
  });
  // Only such a person may see the history of a profile.
  const isLinked = user.role === 'ADMIN' && user.companyId === undefined;
  return (
    <Answer query={query} waiting="Loading who is missing">
      {({ missing_profiles: profiles, next_cursor: next }) => (
        <>
          <div className="card table-card" tabIndex={0} role="region" aria-label="Missing profiles">
            <Table verticalSpacing="sm">
              <Table.Thead>
                <Table.Tr>
                  <Table.Th>Profile</Table.Th>
                  <Table.Th>Person id</Table.Th>
                  <Table.Th>Reason</Table.Th>
                </Table.Tr>
              </Table.Thead>
              <Table.Tbody>
                {profiles.map((profile) => (
                  <Table.Tr key={profile.network_username}>
                    <Table.Td>
                      {isLinked ? (
                        <TextLink to="/months/profiles" search={{ username: profile.network_username, month }}>
                          {profile.network_username}
                        </TextLink>
                      ) : (
                        profile.network_username
                      )}
                    </Table.Td>
                    <Table.Td>
                      <code>{profile.person_id}</code>
                    </Table.Td>
                    <Table.Td>{profile.reason}</Table.Td>
                  </Table.Tr>
                ))}
              </Table.Tbody>
            </Table>
          </div>
          <Pages
            first={
              cursor && (
                <TextLink to="/months" search={search}>
                  First page
                </TextLink>
              )
            }
            next={
              next && (
                <TextLink to="/months" search={{ ...search, month, missing: next }}>
                  Next page
                </TextLink>
              )
            }
          />
        </>
      )}
    </Answer>
  );
}
