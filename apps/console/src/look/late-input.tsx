import { TextInput, type TextInputProps } from '@mantine/core';

/** A text that filters once it is complete: on Enter, and when the focus leaves. */
export function LateInput({
  value,
  onChange,
  ...shown
}: Omit<TextInputProps, 'value' | 'onChange'> & { value: string; onChange: (value: string) => void }) {
  return (
    <TextInput
      key={value}
      {...shown}
      defaultValue={value}
      onBlur={({ target }) => target.value.trim() !== value && onChange(target.value.trim())}
      onKeyDown={(event) => event.key === 'Enter' && onChange(event.currentTarget.value.trim())}
    />
  );
}
