// The request for what was built, to take away: GraphQL, curl and TypeScript. No text holds the key.
import { Tabs, Text, Title } from '@mantine/core';
import { CopyButton } from '../look/copy-button';
import { curlText, jsonText, typescriptText, type DataRequest } from './request';
import type { EntitySchema, RecordField } from './schema.types';

export function CodePanel({
  url,
  entity,
  request,
  fields,
  isComplete,
}: {
  url: string;
  entity: EntitySchema;
  request: DataRequest;
  fields: readonly RecordField[];
  /** Otherwise a condition is still being filled in, and is left out. */
  isComplete: boolean;
}) {
  return (
    <section className="card code-panel" aria-labelledby="code-title">
      <Title order={2} size="h4" id="code-title">
        The same as code
      </Title>
      {!isComplete && (
        <Text size="sm" c="dimmed">
          Without the conditions that have no value yet.
        </Text>
      )}
      <Tabs defaultValue="graphql" keepMounted={false} mt="xs">
        <Tabs.List>
          <Tabs.Tab value="graphql">GraphQL</Tabs.Tab>
          <Tabs.Tab value="curl">curl</Tabs.Tab>
          <Tabs.Tab value="typescript">TypeScript</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="graphql">
          <Code title="Request" text={request.query} />
          <Code title="Variables" text={jsonText(request.variables)} />
        </Tabs.Panel>
        <Tabs.Panel value="curl">
          <Code title="For a shell, with the key in API_KEY" text={curlText(url, request)} />
        </Tabs.Panel>
        <Tabs.Panel value="typescript">
          <Code title="For Node, with the key in API_KEY" text={typescriptText(url, entity, request, fields)} />
        </Tabs.Panel>
      </Tabs>
    </section>
  );
}

function Code({ title, text }: { title: string; text: string }) {
  return (
    <figure className="code">
      <figcaption>
        <span>{title}</span>
        <CopyButton value={text} isQuiet />
      </figcaption>
      <pre tabIndex={0} role="region" aria-label={title}>
        <code>{text}</code>
      </pre>
    </figure>
  );
}
