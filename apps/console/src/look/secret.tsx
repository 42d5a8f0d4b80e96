// A secret that is shown this once.
import { Text } from '@mantine/core';
import { CopyButton } from './copy-button';

export function Secret({ value, what }: { value: string; what: string }) {
  return (
    <div>
      <Text mb="xs">Copy {what} now. It is not shown again.</Text>
      <div className="secret" data-testid="secret">
        {value}
      </div>
      <div style={{ marginTop: '0.5rem' }}>
        <CopyButton value={value} />
      </div>
    </div>
  );
}
