// A secret that is shown this once.
import { Button, Group, Text } from '@mantine/core';
import { useState } from 'react';

export function Secret({ value, what }: { value: string; what: string }) {
  const [isCopied, setIsCopied] = useState(false);
  return (
    <div>
      <Text mb="xs">Copy {what} now. It is not shown again.</Text>
      <div className="secret" data-testid="secret">
        {value}
      </div>
      <Group mt="xs">
        <Button
          onClick={() => {
            void navigator.clipboard.writeText(value).then(() => setIsCopied(true));
          }}
        >
          Copy
        </Button>
        <span role="status">{isCopied ? 'Copied' : ''}</span>
      </Group>
    </div>
  );
}
