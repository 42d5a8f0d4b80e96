// One webhook that named no profile, as it came. The provider sends what is missing again; this is only put aside.
import { Button, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { bodyOf } from '../api/api';
import type { components } from '../api/priority-webhook.generated';
import { useConsole } from '../console-context';
import { JsonBlock } from '../look/json-block';
import { number } from '../look/numbers';
import { Answer, Heading, Moment, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
import { DropDialog } from './drop-dialog';

const route = getRouteApi('/months/unusable-webhooks/$webhookId');

export function UnusableWebhookScreen() {
  const { api } = useConsole();
  const { webhookId: id } = route.useParams();
  const query = useQuery({
    queryKey: ['unusable webhook', id],
    queryFn: () => bodyOf(api.priorityWebhook.GET('/admin/unusable-webhooks/{id}', { params: { path: { id } } })),
  });
  return (
    <>
      <Text mb="xs">
        <TextLink to="/months/unusable-webhooks">Unusable webhooks</TextLink>
      </Text>
      <Answer query={query} waiting="Loading the webhook">
        {(webhook) => <Details webhook={webhook} />}
      </Answer>
    </>
  );
}

function Details({ webhook }: { webhook: components['schemas']['UnusableDetailsDto'] }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const { act } = route.useSearch();
  const navigate = route.useNavigate();
  const isOpen = webhook.dropped_at === null;
  const facts: [string, ReactNode][] = [
    ['State', <Tag key="state" state={isOpen ? 'open' : 'dropped'} />],
    ['Received', webhook.times === 1 ? 'once' : `${number(webhook.times)} times`],
    ['First', <Moment key="at" at={webhook.first_received_at} />],
    ['Last', <Moment key="at" at={webhook.last_received_at} />],
    ['Correlation id', webhook.correlation_id ?? '–'],
    ...(webhook.last_dropped_at === null
      ? []
      : ([
          [isOpen ? 'Dropped before' : 'Dropped', <Moment key="at" at={webhook.last_dropped_at} />],
          ['By', webhook.dropped_by ?? '–'],
          ['Because', webhook.drop_reason ?? '–'],
        ] as [string, ReactNode][])),
  ];
  return (
    <>
      <Heading
        title={`Webhook ${webhook.id.slice(0, 8)}`}
        lead={webhook.reason}
        actions={
          isOpen && (
            <Button variant="default" onClick={() => void navigate({ search: { act: 'drop' } })}>
              Drop
            </Button>
          )
        }
      />
      <div className="card">
        <dl className="facts">
          {facts.map(([name, value]) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <Title order={2} size="h4" mt="lg" mb="xs">
        As it came
      </Title>
      <JsonBlock value={webhook.body} label="As it came" />
      {isOpen && act === 'drop' && (
        <DropDialog
          title="Drop this webhook?"
          text="It is put aside, and shown again when it comes again."
          onClose={() => void navigate({ search: {} })}
          onDrop={async (reason) => {
            await bodyOf(
              api.priorityWebhook.POST('/admin/unusable-webhooks/{id}/drop', {
                params: { path: { id: webhook.id } },
                body: { reason },
              }),
            );
            await Promise.all(
              [['unusable webhook', webhook.id], ['unusable webhooks']].map((queryKey) =>
                queries.invalidateQueries({ queryKey }),
              ),
            );
          }}
        />
      )}
    </>
  );
}
