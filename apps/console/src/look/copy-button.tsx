// Copies a text, and says so. A browser may refuse; then the person selects the text.
import { Button, Group } from '@mantine/core';
import { useState } from 'react';

export function CopyButton({
  value,
  label = 'Copy',
  isQuiet = false,
}: {
  value: string;
  label?: string;
  /** Beside something that matters more. */
  isQuiet?: boolean;
}) {
  const [state, setState] = useState<{ of: string; text: string }>();
  const copy = async () => {
    try {
      await navigator.clipboard.writeText(value);
      setState({ of: value, text: 'Copied' });
    } catch {
      setState({ of: value, text: 'The browser does not allow it. Select the text.' });
    }
  };
  const status = <span role="status">{state?.of === value ? state.text : ''}</span>;
  return (
    <Group gap="sm">
      {isQuiet && status}
      <Button {...(isQuiet && { variant: 'default', size: 'xs' })} onClick={() => void copy()}>
        {label}
      </Button>
      {!isQuiet && status}
    </Group>
  );
}
