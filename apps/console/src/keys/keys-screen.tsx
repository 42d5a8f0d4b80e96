// API keys and their use: one's own, and those of everybody for an ADMIN.
import './keys-screen.css';
import { Button, Group, NativeSelect, Table, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { bodyOf } from '../api/api';
import type { components } from '../api/graphql-gateway.generated';
import { useConsole } from '../console-context';
import { Confirm } from '../look/confirm';
import { Dialog } from '../look/dialog';
import { LateInput } from '../look/late-input';
import { Secret } from '../look/secret';
import { Answer, Heading, Moment, Pages, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
import { expiringBefore } from './expiring';
import { KeyEventsDialog } from './key-events-dialog';
import { MakeDialog } from './make-dialog';
import { Usage } from './usage';
import { UsersByUse } from './users-by-use';

type Key = components['schemas']['KeyDto'] & Partial<components['schemas']['OwnedKeyDto']>;

const route = getRouteApi('/keys');
const pageSize = 25;

type Dialog = { kind: 'make' } | { kind: 'rotate' | 'revoke' | 'history'; key: Key };

export function KeysScreen() {
  const { api, user } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [dialog, setDialog] = useState<Dialog>();
  const [madeKey, setMadeKey] = useState<string>();
  const isExpiring = search.whose === 'expiring' && user.role === 'ADMIN';
  const isOfAll = isExpiring || (search.whose === 'all' && user.role === 'ADMIN');
  const query = useQuery({
    queryKey: ['keys', 'list', isOfAll, isExpiring, search.user, search.cursor],
    queryFn: async (): Promise<{ keys: Key[]; next_cursor: string | null }> => {
      const page = { limit: pageSize, ...(search.cursor && { cursor: search.cursor }) };
      if (!isOfAll) return bodyOf(api.gateway.GET('/keys', { params: { query: page } }));
      const filter = { user: search.user, expires_before: isExpiring ? expiringBefore() : undefined };
      return bodyOf(api.gateway.GET('/admin/keys', { params: { query: { ...page, ...filter } } }));
    },
  });
  const refresh = () => queries.invalidateQueries({ queryKey: ['keys'] });
  const rotate = async ({ id }: Key) => {
    const { key } = await bodyOf(api.gateway.POST('/keys/{id}/rotate', { params: { path: { id } } }));
    setMadeKey(key);
    await refresh();
  };
  const revoke = async ({ id }: Key) => {
    const params = { path: { id } };
    await bodyOf<unknown>(
      isOfAll
        ? api.gateway.POST('/admin/keys/{id}/revoke', { params })
        : api.gateway.POST('/keys/{id}/revoke', { params }),
    );
    await refresh();
  };
  return (
    <>
      <Heading
        title="Keys and usage"
        lead="An API key asks the data API. It acts as you, and spends your calls."
        actions={<Button onClick={() => setDialog({ kind: 'make' })}>Make a key</Button>}
      />
      <Usage />
      {user.role === 'ADMIN' && <UsersByUse />}
      <Group justify="space-between" align="flex-end" mt="lg" mb="sm">
        <Title order={2} size="h4">
          {isExpiring ? 'Keys that expire soon' : isOfAll ? 'Keys of everybody' : 'Your keys'}
        </Title>
        {user.role === 'ADMIN' && (
          <Group align="flex-end">
            {isOfAll && (
              <LateInput
                label="Of the user"
                placeholder="address or id"
                value={search.user ?? ''}
                onChange={(one) =>
                  void navigate({ search: { ...search, user: one || undefined, cursor: undefined }, replace: true })
                }
              />
            )}
            <NativeSelect
              label="Show"
              value={isExpiring ? 'expiring' : isOfAll ? 'all' : ''}
              onChange={({ target }) =>
                void navigate({ search: { days: search.days, whose: target.value }, replace: true })
              }
              data={[
                { value: '', label: 'your keys' },
                { value: 'all', label: 'keys of everybody' },
                { value: 'expiring', label: 'keys that expire soon' },
              ]}
            />
          </Group>
        )}
      </Group>
      <Answer
        query={query}
        waiting="Loading keys"
        isEmpty={({ keys }) => keys.length === 0}
        empty={isOfAll ? 'No key fits.' : 'No keys yet. Make the first one to ask the data API.'}
      >
        {({ keys, next_cursor: next }) => (
          <>
            <div className="card table-card" tabIndex={0} role="region" aria-label="Keys">
              <Table verticalSpacing="sm">
                <Table.Thead>
                  <Table.Tr>
                    <Table.Th>Name</Table.Th>
                    {isOfAll && <Table.Th>Owner</Table.Th>}
                    <Table.Th>Begins with</Table.Th>
                    <Table.Th>State</Table.Th>
                    <Table.Th>Last used</Table.Th>
                    <Table.Th>Expires</Table.Th>
                    <Table.Th>Actions</Table.Th>
                  </Table.Tr>
                </Table.Thead>
                <Table.Tbody>
                  {keys.map((key) => (
                    <Table.Tr key={key.id}>
                      <Table.Td>{key.name}</Table.Td>
                      {isOfAll && <Table.Td>{key.user_email}</Table.Td>}
                      <Table.Td>
                        <code>{key.begins}</code>
                      </Table.Td>
                      <Table.Td>
                        <Tag state={key.state} />
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={key.last_used_at} />
                      </Table.Td>
                      <Table.Td style={{ whiteSpace: 'nowrap' }}>
                        <Moment at={key.expires_at} />
                      </Table.Td>
                      <Table.Td>
                        <Group gap="xs" wrap="nowrap">
                          <Button
                            size="compact-sm"
                            variant="default"
                            aria-label={`History of ${key.name}`}
                            onClick={() => setDialog({ kind: 'history', key })}
                          >
                            History
                          </Button>
                          {key.state === 'active' && !isOfAll && (
                            <Button
                              size="compact-sm"
                              variant="default"
                              aria-label={`Rotate ${key.name}`}
                              onClick={() => setDialog({ kind: 'rotate', key })}
                            >
                              Rotate
                            </Button>
                          )}
                          {key.state === 'active' && (
                            <Button
                              size="compact-sm"
                              variant="default"
                              aria-label={`Revoke ${key.name}`}
                              onClick={() => setDialog({ kind: 'revoke', key })}
                            >
                              Revoke
                            </Button>
                          )}
                        </Group>
                      </Table.Td>
                    </Table.Tr>
                  ))}
                </Table.Tbody>
              </Table>
            </div>
            <Pages
              first={
                search.cursor && (
                  <TextLink to="/keys" search={{ ...search, cursor: undefined }}>
                    First page
                  </TextLink>
                )
              }
              next={
                next && (
                  <TextLink to="/keys" search={{ ...search, cursor: next }}>
                    Next page
                  </TextLink>
                )
              }
            />
          </>
        )}
      </Answer>
      {dialog?.kind === 'make' && (
        <MakeDialog
          onClose={() => setDialog(undefined)}
          onMade={(key) => {
            setDialog(undefined);
            setMadeKey(key);
            void refresh();
          }}
        />
      )}
      {dialog?.kind === 'history' && (
        <KeyEventsDialog
          id={dialog.key.id}
          name={dialog.key.name}
          isOfAll={isOfAll}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog?.kind === 'rotate' && (
        <Confirm
          title={`Rotate ${dialog.key.name}?`}
          text="The key stops working within 5 seconds, and you get another one of the same name."
          action="Rotate the key"
          onClose={() => setDialog(undefined)}
          onConfirm={() => rotate(dialog.key)}
        />
      )}
      {dialog?.kind === 'revoke' && (
        <Confirm
          title={`Revoke ${dialog.key.name}?`}
          text="The key stops working within 5 seconds, for good."
          action="Revoke the key"
          onClose={() => setDialog(undefined)}
          onConfirm={() => revoke(dialog.key)}
        />
      )}
      {madeKey !== undefined && (
        <Dialog title="Your new key" isKept onClose={() => setMadeKey(undefined)}>
          <Secret value={madeKey} what="the key" />
        </Dialog>
      )}
    </>
  );
}
