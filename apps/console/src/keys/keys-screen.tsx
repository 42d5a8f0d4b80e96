// API keys and what is left of the day: one's own, and those of everybody for an ADMIN.
import { Button, Group, NativeSelect, Table, Text, TextInput, Title } from '@mantine/core';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type FormEvent } from 'react';
import { bodyOf } from '../api/api';
import type { components } from '../api/graphql-gateway.generated';
import { useConsole } from '../console-context';
import { Confirm } from '../look/confirm';
import { Dialog } from '../look/dialog';
import { Secret } from '../look/secret';
import { Answer, Heading, Moment, Pages, Problem, Tag } from '../look/states';
import { TextLink } from '../look/text-link';

type Key = components['schemas']['KeyDto'] & Partial<components['schemas']['OwnedKeyDto']>;
type LimitUse = components['schemas']['LimitUseDto'];

const route = getRouteApi('/keys');
const pageSize = 25;

type Dialog = { kind: 'make' } | { kind: 'rotate' | 'revoke'; key: Key };

export function KeysScreen() {
  const { api, user } = useConsole();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [dialog, setDialog] = useState<Dialog>();
  const [madeKey, setMadeKey] = useState<string>();
  const isOfAll = search.whose === 'all' && user.role === 'ADMIN';
  const query = useQuery({
    queryKey: ['keys', search],
    queryFn: async (): Promise<{ keys: Key[]; next_cursor: string | null }> => {
      const page = { limit: pageSize, ...(search.cursor && { cursor: search.cursor }) };
      return isOfAll
        ? bodyOf(
            api.gateway.GET('/admin/keys', {
              params: { query: { ...page, ...(search.user && { user: search.user }) } },
            }),
          )
        : bodyOf(api.gateway.GET('/keys', { params: { query: page } }));
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
      <Group justify="space-between" align="flex-end" mt="lg" mb="sm">
        <Title order={2} size="h4">
          {isOfAll ? 'Keys of everybody' : 'Your keys'}
        </Title>
        {user.role === 'ADMIN' && (
          <NativeSelect
            label="Show"
            value={isOfAll ? 'all' : ''}
            onChange={({ target }) => void navigate({ search: { whose: target.value }, replace: true })}
            data={[
              { value: '', label: 'your keys' },
              { value: 'all', label: 'keys of everybody' },
            ]}
          />
        )}
      </Group>
      <Answer
        query={query}
        waiting="Loading keys"
        isEmpty={({ keys }) => keys.length === 0}
        empty="No keys yet. Make the first one to ask the data API."
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
                        {key.state === 'active' && (
                          <Group gap="xs" wrap="nowrap">
                            {!isOfAll && (
                              <Button
                                size="compact-sm"
                                variant="default"
                                aria-label={`Rotate ${key.name}`}
                                onClick={() => setDialog({ kind: 'rotate', key })}
                              >
                                Rotate
                              </Button>
                            )}
                            <Button
                              size="compact-sm"
                              variant="default"
                              aria-label={`Revoke ${key.name}`}
                              onClick={() => setDialog({ kind: 'revoke', key })}
                            >
                              Revoke
                            </Button>
                          </Group>
                        )}
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

function Usage() {
  const { api } = useConsole();
  const query = useQuery({ queryKey: ['keys', 'usage'], queryFn: () => bodyOf(api.gateway.GET('/usage')) });
  return (
    <Answer query={query} waiting="Loading your usage">
      {({ data_calls: calls, requests, refused_today: refused }) => (
        <div className="grid">
          <LimitCard title="Data calls left today" use={calls} />
          <LimitCard title="Other requests left this minute" use={requests} />
          <section className="card">
            <Title order={2} size="h5">
              Refused today
            </Title>
            <Text size="xl" fw={650}>
              {refused.toLocaleString('en')}
            </Text>
          </section>
        </div>
      )}
    </Answer>
  );
}

function LimitCard({ title, use: { limit, remaining, resets_at: resetsAt } }: { title: string; use: LimitUse }) {
  return (
    <section className="card">
      <Title order={2} size="h5">
        {title}
      </Title>
      <Text size="xl" fw={650}>
        {remaining.toLocaleString('en')} of {limit.toLocaleString('en')}
      </Text>
      <div className="bar" aria-hidden="true">
        <span style={{ width: `${(100 * remaining) / Math.max(1, limit)}%` }} />
      </div>
      <Text size="sm" c="dimmed" mt="xs">
        Full again <Moment at={resetsAt} />
      </Text>
    </section>
  );
}

function MakeDialog({ onClose, onMade }: { onClose: () => void; onMade: (key: string) => void }) {
  const { api } = useConsole();
  const [name, setName] = useState('');
  const [days, setDays] = useState('365');
  // After a lost answer the same form again shows the key that was made.
  const [requestId, setRequestId] = useState(() => crypto.randomUUID());
  const make = useMutation({
    mutationFn: () =>
      bodyOf(
        api.gateway.POST('/keys', {
          params: { header: { 'Idempotency-Key': requestId } },
          body: { name: name.trim(), expires_in_days: Number(days) },
        }),
      ),
    onSuccess: ({ key }) => onMade(key),
  });
  const submit = (event: FormEvent) => {
    event.preventDefault();
    make.mutate();
  };
  return (
    <Dialog title="Make a key" onClose={onClose}>
      <form onSubmit={submit}>
        <TextInput
          label="Name"
          description="What it is for"
          required
          maxLength={100}
          data-autofocus
          value={name}
          onChange={({ target }) => {
            setName(target.value);
            setRequestId(crypto.randomUUID());
          }}
          mb="md"
        />
        <TextInput
          label="Expires after, days"
          type="number"
          min={1}
          max={365}
          required
          value={days}
          onChange={({ target }) => {
            setDays(target.value);
            setRequestId(crypto.randomUUID());
          }}
          mb="md"
        />
        {make.isError && <Problem error={make.error} />}
        <Group justify="flex-end" mt="md">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" loading={make.isPending}>
            Make the key
          </Button>
        </Group>
      </form>
    </Dialog>
  );
}
