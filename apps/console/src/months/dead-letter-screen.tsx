// One dead letter, decoded: why it could not be used, and its end: received again, as it is or corrected, or dropped.
import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { JsonBlock } from '../look/json-block';
import { number } from '../look/numbers';
import { Answer, Heading, Moment, Tag } from '../look/states';
import { TextLink } from '../look/text-link';
import type { DeadLetter } from './dead-letter.types';
import { DropDialog } from './drop-dialog';
import { RedriveDialog } from './redrive-dialog';

const route = getRouteApi('/months/dead-letters/$letterId');

export function DeadLetterScreen() {
  const { api } = useConsole();
  const { letterId } = route.useParams();
  const query = useQuery({
    queryKey: ['dead letter', letterId],
    queryFn: () => bodyOf(api.priorityApi.GET('/admin/dead-letters/{id}', { params: { path: { id: letterId } } })),
  });
  return (
    <>
      <Text mb="xs">
        <TextLink to="/months/dead-letters">Dead letters</TextLink>
      </Text>
      <Answer query={query} waiting="Loading the dead letter">
        {(letter) => <Details letter={letter} />}
      </Answer>
    </>
  );
}

const kinds: Record<string, string> = {
  json: 'What the message holds',
  text: 'What the message holds is text, not JSON',
  not_decodable: 'What the message holds is no text in base64; this is as it came',
};

function Details({ letter }: { letter: DeadLetter }) {
  const { api } = useConsole();
  const queries = useQueryClient();
  const { act } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (dialog: string | undefined) => void navigate({ search: dialog ? { act: dialog } : {} });
  const changed = () =>
    Promise.all(
      [['dead letter', letter.id], ['dead letters']].map((queryKey) => queries.invalidateQueries({ queryKey })),
    );
  const isOpen = letter.state === 'open';
  const facts: [string, ReactNode][] = [
    ['State', <Tag key="state" state={letter.state} />],
    ['Received', letter.deliveries === 1 ? 'once' : `${number(letter.deliveries)} times`],
    ['First', <Moment key="at" at={letter.first_received_at} />],
    ['Last', <Moment key="at" at={letter.last_received_at} />],
    ['Id of the message', letter.message_id ?? '–'],
    ...(isOpen
      ? []
      : ([
          [letter.state === 'dropped' ? 'Dropped' : 'Received again', <Moment key="at" at={letter.handled_at} />],
          ['By', letter.handled_by ?? '–'],
        ] as [string, ReactNode][])),
    ...(letter.drop_reason === null ? [] : ([['Because', letter.drop_reason]] as [string, ReactNode][])),
  ];
  return (
    <>
      <Heading
        title={`Dead letter ${letter.id}`}
        lead={letter.reason}
        actions={
          isOpen && (
            <Group gap="sm">
              <Button variant="default" onClick={() => open('drop')}>
                Drop
              </Button>
              <Button onClick={() => open('redrive')}>Correct and receive again</Button>
            </Group>
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
      <Part title={kinds[letter.content_kind] ?? 'Content'} value={letter.content} />
      {letter.corrected_content !== null && <Part title="What was received instead" value={letter.corrected_content} />}
      <Part title="Attributes" value={letter.attributes} />
      {isOpen && act === 'redrive' && (
        <RedriveDialog letter={letter} onClose={() => open(undefined)} onChange={changed} />
      )}
      {isOpen && act === 'drop' && (
        <DropDialog
          title={`Drop dead letter ${letter.id}?`}
          text="It is put aside for good. Its profiles are not started by it."
          onClose={() => open(undefined)}
          onDrop={async (reason) => {
            await bodyOf(
              api.priorityApi.POST('/admin/dead-letters/{id}/drop', {
                params: { path: { id: letter.id } },
                body: { reason },
              }),
            );
            await changed();
          }}
        />
      )}
    </>
  );
}

function Part({ title, value }: { title: string; value: unknown }) {
  return (
    <section>
      <Title order={2} size="h4" mt="lg" mb="xs">
        {title}
      </Title>
      <JsonBlock value={value} label={title} />
    </section>
  );
}
