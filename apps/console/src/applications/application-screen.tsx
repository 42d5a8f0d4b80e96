// One application: what it may do, its secret, who allowed it what, and its end.
import { Button, Group, Text, Title } from '@mantine/core';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState, type ReactNode } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { GrantsOf } from '../grants/grants-of';
import { Confirm } from '../look/confirm';
import { Dialog } from '../look/dialog';
import { Secret } from '../look/secret';
import { Answer, Heading, Moment } from '../look/states';
import { TextLink } from '../look/text-link';
import type { Application } from './application.types';
import { EditDialog } from './edit-dialog';

const route = getRouteApi('/applications/$clientId');

export function ApplicationScreen() {
  const { api } = useConsole();
  const { clientId } = route.useParams();
  const query = useQuery({
    queryKey: ['applications', clientId],
    queryFn: () =>
      bodyOf(api.identity.GET('/admin/clients/{client_id}', { params: { path: { client_id: clientId } } })),
  });
  return (
    <>
      <Text mb="xs">
        <TextLink to="/applications">Applications</TextLink>
      </Text>
      <Answer query={query} waiting="Loading the application">
        {(application) => <ApplicationDetails key={clientId} application={application} />}
      </Answer>
    </>
  );
}

function ApplicationDetails({ application }: { application: Application }) {
  const { api, settings } = useConsole();
  const { edit } = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const [asking, setAsking] = useState<'rotate' | 'delete'>();
  const [secret, setSecret] = useState<string>();
  const { client_id: id } = application;
  const name = application.client_name ?? id;
  const params = { path: { client_id: id } };
  const hasSecret = application.token_endpoint_auth_method.startsWith('client_secret');
  const lines = (texts: readonly string[]) =>
    texts.length === 0 ? '–' : texts.map((text) => <div key={text}>{text}</div>);
  const facts: [string, ReactNode][] = [
    ['Client id', <code key="id">{id}</code>],
    ['Registered by', application.origin === 'operator' ? 'an operator' : 'itself'],
    ['Proves who it is by', application.token_endpoint_auth_method],
    ['Grant types', application.grant_types.join(', ') || '–'],
    ['Scopes', application.scope ?? 'all'],
    ['Resources', lines(application.resources)],
    ['Redirect URIs', lines(application.redirect_uris)],
    ['Addresses after a sign-out', lines(application.post_logout_redirect_uris)],
    ['Back-channel logout address', application.backchannel_logout_uri ?? '–'],
    ['Introspects tokens of', application.introspects ?? '–'],
    ['Made', <Moment key="made" at={application.created_at} />],
    ['Last used', <Moment key="used" at={application.used_at} />],
  ];
  return (
    <>
      <Heading
        title={name}
        actions={
          <Group gap="sm">
            {hasSecret && (
              <Button variant="default" onClick={() => setAsking('rotate')}>
                Rotate the secret
              </Button>
            )}
            <Button variant="default" onClick={() => setAsking('delete')}>
              Delete
            </Button>
            <Button onClick={() => void navigate({ search: { edit: 'yes' } })}>Edit</Button>
          </Group>
        }
      />
      <div className="card">
        <dl className="facts">
          {facts.map(([label, value]) => (
            <div key={label}>
              <dt>{label}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      </div>
      <Title order={2} size="h4" mt="lg" mb="sm">
        Grants
      </Title>
      <GrantsOf of={{ client_id: id }} />
      <Text mt="lg">
        <TextLink to="/audit" search={{ client: id }}>
          What happened to this application
        </TextLink>
      </Text>
      {edit && <EditDialog application={application} onClose={() => void navigate({ search: {} })} />}
      {asking === 'rotate' && (
        <Confirm
          title={`Rotate the secret of ${name}?`}
          text="The old secret is refused from now on. Tokens stay valid."
          action="Rotate the secret"
          onClose={() => setAsking(undefined)}
          onConfirm={async () => {
            const made = await bodyOf(api.identity.POST('/admin/clients/{client_id}/rotate-secret', { params }));
            setSecret(made.client_secret ?? undefined);
          }}
        />
      )}
      {asking === 'delete' && (
        <Confirm
          title={`Delete ${name}?`}
          text={
            id === settings.client_id
              ? 'This is the console itself: nobody can sign in to it afterwards.'
              : 'Its grants and tokens end, and nobody can sign in to it. This cannot be undone.'
          }
          action="Delete the application"
          onClose={() => setAsking(undefined)}
          onConfirm={async () => {
            await bodyOf<unknown>(api.identity.DELETE('/admin/clients/{client_id}', { params }));
            await navigate({ to: '/applications', search: {} });
            queries.removeQueries({ queryKey: ['applications', id] });
            await queries.invalidateQueries({ queryKey: ['applications'] });
          }}
        />
      )}
      {secret !== undefined && (
        <Dialog title="The new secret" isKept onClose={() => setSecret(undefined)}>
          <Secret value={secret} what="the secret" />
        </Dialog>
      )}
    </>
  );
}
