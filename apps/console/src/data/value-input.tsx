// The values of one condition, as its field takes them: dates, numbers, members of an enumeration, names with
// suggestions, or texts.
import { MultiSelect, NativeSelect, TagsInput, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { amountOf, type Condition } from './conditions';
import { enumerations } from './schema.generated';
import type { FilterField, Vocabulary } from './schema.types';

/** While somebody types, no request is sent for a letter that the next one makes useless. */
const typingMs = 200;
const optionsMax = 60;
/** The list is beside its field, and scrolls by itself: screen readers and axe-core expect both. */
const listProps = {
  comboboxProps: { withinPortal: false },
  withScrollArea: false,
  styles: { options: { maxHeight: 220, overflowY: 'auto' } },
} as const;

export interface ValueInputProps {
  field: FilterField;
  /** Of the field and comparison, for those who do not see them. */
  label: string;
  condition: Condition;
  error: string | undefined;
  onChange: (values: readonly string[]) => void;
}

export function ValueInput(props: ValueInputProps) {
  const { field, condition } = props;
  const amount = amountOf(field, condition.comparison);
  if (field.kind === 'boolean') return <YesOrNo {...props} />;
  if (field.kind === 'name') return <Names {...props} vocabulary={field.vocabulary!} isOne={amount === 'one'} />;
  if (field.members !== undefined) return amount === 'many' ? <Members {...props} /> : <Member {...props} />;
  if (amount === 'many') return <Texts {...props} />;
  return <Fields {...props} count={amount === 'two' ? 2 : 1} />;
}

function YesOrNo({ label, condition, error, onChange }: ValueInputProps) {
  return (
    <NativeSelect
      aria-label={label}
      error={error}
      value={condition.values[0] ?? ''}
      onChange={({ target }) => onChange([target.value])}
      data={[
        ...(condition.values[0] === undefined ? [{ value: '', label: 'Choose' }] : []),
        { value: 'true', label: 'yes' },
        { value: 'false', label: 'no' },
      ]}
    />
  );
}

const membersOf = ({ members }: FilterField) =>
  (enumerations[members!] ?? []).map(({ member, label }) => ({ value: member, label }));

function Member({ field, label, condition, error, onChange }: ValueInputProps) {
  return (
    <NativeSelect
      aria-label={label}
      error={error}
      value={condition.values[0] ?? ''}
      onChange={({ target }) => onChange(target.value === '' ? [] : [target.value])}
      data={[{ value: '', label: 'Choose' }, ...membersOf(field)]}
    />
  );
}

function Members({ field, label, condition, error, onChange }: ValueInputProps) {
  return (
    <MultiSelect
      {...listProps}
      aria-label={label}
      error={error}
      value={[...condition.values]}
      onChange={onChange}
      data={membersOf(field)}
      searchable
      clearSearchOnChange
      hidePickedOptions
      limit={optionsMax}
      nothingFoundMessage="None begins like this"
      placeholder={condition.values.length === 0 ? 'Choose' : ''}
    />
  );
}

function Names({
  field,
  label,
  condition,
  error,
  onChange,
  vocabulary,
  isOne,
}: ValueInputProps & { vocabulary: Vocabulary; isOne: boolean }) {
  const { api } = useConsole();
  const [text, setText] = useState('');
  const [isOpen, setIsOpen] = useState(false);
  const [asked] = useDebouncedValue(text, typingMs);
  const names = useQuery({
    queryKey: ['names', vocabulary, asked.toLowerCase()],
    queryFn: () => bodyOf(api.gateway.GET('/names', { params: { query: { of: vocabulary, text: asked } } })),
    // Without suggestions a name can still be typed.
    ...{ enabled: isOpen, staleTime: 5 * 60_000, retry: false, placeholderData: keepPreviousData },
  });
  return (
    <TagsInput
      {...listProps}
      aria-label={label}
      error={error}
      value={[...condition.values]}
      onChange={onChange}
      searchValue={text}
      onSearchChange={setText}
      onFocus={() => setIsOpen(true)}
      data={(names.data?.names ?? []).filter((name) => !condition.values.includes(name))}
      // The service knows other spellings too, so what it answers is shown as it is.
      filter={({ options }) => options}
      splitChars={[]}
      maxTags={isOne ? 1 : 500}
      selectFirstOptionOnChange
      placeholder={condition.values.length === 0 ? exampleOf(field) : ''}
    />
  );
}

/** Texts, numbers or dates. */
function Texts({ field, label, condition, error, onChange }: ValueInputProps) {
  return (
    <TagsInput
      {...listProps}
      aria-label={label}
      error={error}
      value={[...condition.values]}
      onChange={onChange}
      splitChars={field.kind === 'text' ? [] : [';', ' ']}
      maxTags={500}
      placeholder={condition.values.length === 0 ? `${exampleOf(field)}; Enter adds it` : ''}
    />
  );
}

const typeOf: Partial<Record<FilterField['kind'], { type?: string; inputMode?: 'numeric' | 'decimal' }>> = {
  date: { type: 'date' },
  instant: { type: 'datetime-local' },
  integer: { inputMode: 'numeric' },
  money: { inputMode: 'numeric' },
  age: { inputMode: 'numeric' },
  decimal: { inputMode: 'decimal' },
};

function Fields({ field, label, condition, error, onChange, count }: ValueInputProps & { count: 1 | 2 }) {
  const [first = '', second = ''] = condition.values;
  const common = { ...typeOf[field.kind], maxLength: field.kind === 'text' ? 1000 : 40 };
  return (
    <div className="values">
      <TextInput
        {...common}
        aria-label={count === 2 ? `${label}, from` : label}
        error={error}
        value={first}
        placeholder={exampleOf(field)}
        onChange={({ target }) => onChange(count === 2 ? [target.value, second] : [target.value])}
      />
      {count === 2 && (
        <>
          <span aria-hidden>and</span>
          <TextInput
            {...common}
            aria-label={`${label}, to`}
            error={error !== undefined}
            value={second}
            onChange={({ target }) => onChange([first, target.value])}
          />
        </>
      )}
    </div>
  );
}

function exampleOf({ kind, example }: FilterField): string {
  if (example[0] === undefined) return '';
  const isNumber = kind === 'integer' || kind === 'money';
  return `such as ${isNumber && example[0].length > 4 ? Number(example[0]).toLocaleString('en') : example[0]}`;
}
