// Which fields of a record are asked for: all of them unless somebody chooses.
import { Button, Checkbox, Group } from '@mantine/core';
import type { EntitySchema, RecordField } from './schema.types';
import { labelOf } from './wording';

export function FieldsChoice({
  entity,
  chosen,
  onChange,
}: {
  entity: EntitySchema;
  chosen: readonly RecordField[];
  /** None: all of them. */
  onChange: (names: readonly string[]) => void;
}) {
  const names = chosen.map(({ name }) => name);
  const isAll = chosen.length === entity.fields.length;
  const toggle = (name: string, isWanted: boolean) => {
    const next = entity.fields.flatMap((field) =>
      (field.name === name ? isWanted : names.includes(field.name)) ? [field.name] : [],
    );
    // A record without fields is none: the last one stays.
    if (next.length > 0) onChange(next.length === entity.fields.length ? [] : next);
  };
  return (
    <details className="fields-choice">
      <summary>
        Fields of a record: {isAll ? `all ${entity.fields.length}` : `${chosen.length} of ${entity.fields.length}`}
      </summary>
      <Group my="xs" gap="xs">
        <Button size="compact-sm" variant="default" disabled={isAll} onClick={() => onChange([])}>
          All
        </Button>
        <Button size="compact-sm" variant="default" onClick={() => onChange([firstName(entity)])}>
          Only {firstName(entity)}
        </Button>
      </Group>
      <div className="grid fields-grid">
        {entity.fields.map(({ name, meaning }) => (
          <Checkbox
            key={name}
            label={labelOf(name)}
            title={meaning}
            checked={names.includes(name)}
            onChange={({ target }) => toggle(name, target.checked)}
          />
        ))}
      </div>
    </details>
  );
}

const firstName = ({ fields }: EntitySchema) => (fields.some(({ name }) => name === 'name') ? 'name' : 'title');
