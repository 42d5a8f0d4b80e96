// Every service, and what it depends on.
import { Group, Text, Title } from '@mantine/core';
import { Tag } from '../look/states';
import { serviceNames, type ServiceName } from '../settings';
import type { ServiceHealth } from './readiness';

const purposes: Record<ServiceName, string> = {
  identity: 'Sign-in, users and applications',
  'graphql-gateway': 'The data API and its keys',
  interactions: 'Jobs: posts, comments, reactions',
  'priority-api': 'Starts the profiles of a month',
  'priority-webhook': 'Receives and stores profiles',
  coordinator: 'The monthly run',
};

export function Services({ health }: { health: Record<ServiceName, ServiceHealth | undefined> }) {
  return (
    <section aria-labelledby="services">
      <Title order={2} size="h4" mt="lg" mb="xs" id="services">
        Services
      </Title>
      <div className="grid">
        {serviceNames.map((name) => (
          <ServiceCard key={name} name={name} health={health[name]} />
        ))}
      </div>
    </section>
  );
}

function ServiceCard({ name, health }: { name: ServiceName; health: ServiceHealth | undefined }) {
  return (
    <section className="card" aria-labelledby={`service-${name}`}>
      <Group justify="space-between" wrap="nowrap">
        <Title order={3} size="h5" id={`service-${name}`}>
          {name}
        </Title>
        <Tag state={health?.state ?? 'asking'} />
      </Group>
      <Text c="dimmed" size="sm">
        {purposes[name]}
      </Text>
      {health?.note && (
        <Text size="sm" mt="xs">
          {health.note}
        </Text>
      )}
      {health && health.dependencies.length > 0 && (
        <ul className="dependencies" aria-label={`What ${name} depends on`}>
          {health.dependencies.map(({ name: dependency, isUp, consequence }) => (
            <li key={dependency} data-up={isUp}>
              <span aria-hidden>{isUp ? '✓' : '✕'}</span> {dependency} {isUp ? 'answers' : 'does not answer'}
              {!isUp && consequence && `: ${consequence}`}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
