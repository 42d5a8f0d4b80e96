// One record with all fields that were asked for.
import { Anchor, Button, Group, Text, Title } from '@mantine/core';
import type { RecordField } from './schema.types';
import { labelOf, valueText } from './wording';

const longChars = 90;

export function RecordCard({
  fields,
  record,
  at,
  of,
  onMove,
}: {
  fields: readonly RecordField[];
  record: Readonly<Record<string, unknown>>;
  at: number;
  of: number;
  onMove: (index: number) => void;
}) {
  const title = [record['name'], record['title'], record['id']].find((value) => typeof value === 'string');
  return (
    <article className="card" aria-labelledby="record-title">
      <Group justify="space-between" align="flex-start" mb="sm">
        <Title order={3} size="h3" id="record-title">
          {title ?? 'Record'}
        </Title>
        <Group gap="xs">
          <Text size="sm" c="dimmed" role="status">
            {(at + 1).toLocaleString('en')} of {of.toLocaleString('en')} here
          </Text>
          <Button size="xs" variant="default" disabled={at === 0} onClick={() => onMove(at - 1)}>
            Previous
          </Button>
          <Button size="xs" variant="default" disabled={at + 1 >= of} onClick={() => onMove(at + 1)}>
            Next
          </Button>
        </Group>
      </Group>
      <dl className="facts record">
        {fields.map((field) => {
          const text = valueText(field, record[field.name]);
          return (
            <div key={field.name} data-long={text !== undefined && text.length > longChars}>
              <dt>{labelOf(field.name)}</dt>
              <dd>{text === undefined ? <Unknown /> : <Value text={text} />}</dd>
            </div>
          );
        })}
      </dl>
    </article>
  );
}

function Unknown() {
  return (
    <Text span c="dimmed" fw={400}>
      not known
    </Text>
  );
}

/** The data holds addresses of anybody: only those of the web become links. */
function Value({ text }: { text: string }) {
  if (!/^https?:\/\/\S+$/.test(text)) return text;
  return (
    <Anchor href={text} target="_blank" rel="noopener noreferrer" fw={600}>
      {text}
    </Anchor>
  );
}
