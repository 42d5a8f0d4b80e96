// JSON as a person reads it. Only a part of a very large one is shown; the rest can be copied.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';
import './json-block.css';

/** A browser still scrolls this many characters well. */
const charsMax = 200_000;

export function JsonBlock({ value, label }: { value: unknown; label: string }) {
  const [isCopied, setIsCopied] = useState(false);
  const text = typeof value === 'string' ? value : JSON.stringify(value, null, 2);
  return (
    <div>
      <pre className="card json-block" tabIndex={0} role="region" aria-label={label}>
        {text.slice(0, charsMax)}
      </pre>
      <Group mt="xs" gap="sm">
        <Button
          size="xs"
          variant="default"
          onClick={() => void navigator.clipboard.writeText(text).then(() => setIsCopied(true))}
        >
          Copy
        </Button>
        <span role="status">{isCopied ? 'Copied' : ''}</span>
        {text.length > charsMax && (
          <Text size="sm">This is the beginning. The copy has all {text.length.toLocaleString('en')} characters.</Text>
        )}
      </Group>
    </div>
  );
}
