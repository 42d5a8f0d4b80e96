// The conditions of a filter as rows that read like sentences. A record must meet all of them.
import { Button, CloseButton, NativeSelect, Text } from '@mantine/core';
import { useRef } from 'react';
import {
  faultOf,
  fieldKey,
  findField,
  newCondition,
  sortKey,
  withComparison,
  type Condition,
  type Sort,
} from './conditions';
import type { Comparison, EntitySchema, FilterField } from './schema.types';
import { ValueInput } from './value-input';
import { comparisonLabel, labelOf } from './wording';

/** As the API allows it for one field. */
const conditionsMax = 20;

export function FilterBuilder({
  entity,
  conditions,
  areFaultsShown,
  onChange,
}: {
  entity: EntitySchema;
  conditions: readonly Condition[];
  /** After somebody wanted to ask: a row is not wrong while it is being filled in. */
  areFaultsShown: boolean;
  onChange: (conditions: Condition[]) => void;
}) {
  const rows = useRef<HTMLDivElement>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const set = (index: number, condition: Condition) =>
    onChange(conditions.map((one, at) => (at === index ? condition : one)));
  const add = () => {
    onChange([...conditions, newCondition(nextField(entity, conditions))]);
    // Once the row is there.
    requestAnimationFrame(() => rows.current?.querySelector<HTMLElement>('.condition:last-child select')?.focus());
  };
  const remove = (index: number) => {
    onChange(conditions.filter((_, at) => at !== index));
    addButton.current?.focus();
  };
  return (
    <div>
      {conditions.length === 0 && <Text c="dimmed">No conditions: everything matches.</Text>}
      <div ref={rows}>
        {conditions.map((condition, index) => (
          <Row
            // Rows have no name of their own, and their inputs are controlled.
            key={index}
            number={index + 1}
            entity={entity}
            conditions={conditions}
            condition={condition}
            areFaultsShown={areFaultsShown}
            onChange={(changed) => set(index, changed)}
            onRemove={() => remove(index)}
          />
        ))}
      </div>
      <Button ref={addButton} mt="sm" variant="default" disabled={conditions.length >= conditionsMax} onClick={add}>
        Add a condition
      </Button>
    </div>
  );
}

function Row({
  number,
  entity,
  conditions,
  condition,
  areFaultsShown,
  onChange,
  onRemove,
}: {
  number: number;
  entity: EntitySchema;
  conditions: readonly Condition[];
  condition: Condition;
  areFaultsShown: boolean;
  onChange: (condition: Condition) => void;
  onRemove: () => void;
}) {
  const field = findField(entity, condition.field)!;
  const label = labelOf(condition.field);
  return (
    <div className="condition" role="group" aria-label={`Condition ${number}: ${label}`}>
      <NativeSelect
        aria-label="Field"
        value={condition.field}
        onChange={({ target }) => onChange(newCondition(findField(entity, target.value)!))}
        data={fieldOptions(entity, conditions, condition)}
      />
      {condition.comparison === undefined ? (
        <span className="comparison">{field.isList ? 'is any of' : 'is'}</span>
      ) : (
        <NativeSelect
          aria-label="Comparison"
          value={condition.comparison}
          onChange={({ target }) => onChange(withComparison(field, condition, target.value as Comparison))}
          data={field.comparisons.map((value) => ({ value, label: comparisonLabel(field, value) }))}
        />
      )}
      <ValueInput
        // Another field or comparison begins with an empty input.
        key={`${condition.field} ${condition.comparison}`}
        field={field}
        label={`${label}, value`}
        condition={condition}
        error={areFaultsShown ? faultOf(field, condition) : undefined}
        onChange={(values) => onChange({ ...condition, values })}
      />
      <CloseButton aria-label={`Remove condition ${number}: ${label}`} onClick={onRemove} />
      <Text size="sm" c="dimmed" className="condition-note">
        {field.meaning}
        {field.kind === 'instant' && ' In UTC.'}
      </Text>
    </div>
  );
}

/** A field without comparisons can be there once. */
const isTaken = (field: FilterField, conditions: readonly Condition[]) =>
  field.comparisons.length === 0 && conditions.some((one) => one.field === fieldKey(field));

function nextField({ filters }: EntitySchema, conditions: readonly Condition[]): FilterField {
  const isUnused = (field: FilterField) => !conditions.some((one) => one.field === fieldKey(field));
  const easy = ['keywords', 'identity', 'title', 'query'];
  return (
    filters.find((field) => easy.includes(fieldKey(field)) && isUnused(field)) ??
    filters.find((field) => isUnused(field)) ??
    filters[0]!
  );
}

function fieldOptions(entity: EntitySchema, conditions: readonly Condition[], condition: Condition) {
  const option = (field: FilterField) => ({ value: fieldKey(field), label: labelOf(fieldKey(field)) });
  const free = entity.filters.filter((field) => fieldKey(field) === condition.field || !isTaken(field, conditions));
  const isOfPerson = (field: FilterField) => fieldKey(field).startsWith('person.');
  const own = free.filter((field) => !isOfPerson(field)).map(option);
  const ofPerson = free.filter(isOfPerson).map(option);
  if (ofPerson.length === 0) return own;
  return [
    { group: 'The contact', items: own },
    { group: 'Its person', items: ofPerson },
  ];
}

export function SortFields({
  entity,
  sort,
  onChange,
}: {
  entity: EntitySchema;
  sort: Sort | undefined;
  onChange: (sort: Sort | undefined) => void;
}) {
  if (entity.sorts.length === 0) return null;
  return (
    <div className="filters">
      <NativeSelect
        label="Order by"
        value={sort?.by ?? ''}
        onChange={({ target }) =>
          onChange(target.value === '' ? undefined : { by: target.value, isDescending: sort?.isDescending ?? false })
        }
        data={[
          { value: '', label: 'id' },
          ...entity.sorts.map((one) => ({ value: sortKey(one), label: sortLabel(sortKey(one)) })),
        ]}
      />
      {sort && (
        <NativeSelect
          label="Direction"
          value={sort.isDescending ? 'descending' : ''}
          onChange={({ target }) => onChange({ ...sort, isDescending: target.value !== '' })}
          data={[
            { value: '', label: 'ascending' },
            { value: 'descending', label: 'descending' },
          ]}
        />
      )}
    </div>
  );
}

/** `CREATED_AT` and `person.NAME` are members of enums. */
const sortLabel = (key: string) =>
  labelOf(
    key
      .split('.')
      .map((part) => (part === part.toUpperCase() ? part.toLowerCase() : part))
      .join('.'),
  ).toLowerCase();
