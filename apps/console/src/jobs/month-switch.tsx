// The month of a screen, with the one before and the one after it.
import { Group, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { monthLater, monthName, monthOf } from '../look/days';

export function MonthSwitch({ month, link }: { month: string; link: (month: string, label: string) => ReactNode }) {
  const after = monthLater(month, 1);
  return (
    <Group gap="md" align="baseline">
      <Title order={2} size="h4">
        {monthName(month)}
      </Title>
      {link(monthLater(month, -1), monthName(monthLater(month, -1)))}
      {after <= monthOf() && link(after, monthName(after))}
    </Group>
  );
}
