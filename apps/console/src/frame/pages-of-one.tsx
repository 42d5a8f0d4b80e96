// Pages outside the frame: before the sign-in, and when something is wrong with the whole.
import { Button, Text, Title } from '@mantine/core';
import type { ReactNode } from 'react';
import { Mark } from '../look/mark';

function PageOfOne({ children }: { children: ReactNode }) {
  return (
    <div className="page-of-one">
      <header className="brand">
        <Mark />
        <span>Tradewind</span>
      </header>
      <main className="card">{children}</main>
    </div>
  );
}

export function SignInPage({ reason, onSignIn }: { reason?: string | undefined; onSignIn: () => void }) {
  return (
    <PageOfOne>
      <Title order={1} size="h2" mb="xs">
        Console
      </Title>
      {reason !== undefined && (
        <Text className="notice" role="alert" mb="md">
          {reason}
        </Text>
      )}
      <Text c="dimmed" mb="lg">
        Jobs, months, data, keys and users of the platform. You sign in at its identity service.
      </Text>
      <Button fullWidth size="md" onClick={onSignIn}>
        Sign in
      </Button>
    </PageOfOne>
  );
}

export function FailurePage({ message }: { message: string }) {
  return (
    <PageOfOne>
      <Title order={1} size="h2" mb="xs">
        The console cannot start
      </Title>
      <Text role="alert" mb="lg">
        {message}
      </Text>
      <Button onClick={() => location.reload()}>Try again</Button>
    </PageOfOne>
  );
}
