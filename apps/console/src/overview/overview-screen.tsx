// Whether the platform works: every service, and what it depends on.
import { Group, Text, Title } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useConsole } from '../console-context';
import { Heading, Tag } from '../look/states';
import { serviceNames, type ServiceName } from '../settings';

interface Readiness {
  status: 'ready' | 'not_ready';
  dependencies: Record<string, 'up' | 'down'>;
  degraded?: Record<string, string>;
}

const purposes: Record<ServiceName, string> = {
  identity: 'Sign-in, users and applications',
  'graphql-gateway': 'The data API and its keys',
  interactions: 'Jobs: posts, comments, reactions',
  'priority-api': 'Starts the profiles of a month',
  'priority-webhook': 'Receives and stores profiles',
  coordinator: 'The monthly run',
};

export function OverviewScreen() {
  return (
    <>
      <Heading title="Overview" lead="What works at this moment." />
      <div className="grid">
        {serviceNames.map((name) => (
          <ServiceCard key={name} name={name} />
        ))}
      </div>
    </>
  );
}

function ServiceCard({ name }: { name: ServiceName }) {
  const { settings } = useConsole();
  const { data, isPending } = useQuery({
    queryKey: ['health', name],
    queryFn: () => healthOf(settings.services[name]),
    refetchInterval: 10_000,
  });
  const state = isPending ? 'asking' : data!.state;
  return (
    <section className="card" aria-labelledby={`service-${name}`}>
      <Group justify="space-between" wrap="nowrap">
        <Title order={2} size="h5" id={`service-${name}`}>
          {name}
        </Title>
        <Tag state={state} />
      </Group>
      <Text c="dimmed" size="sm">
        {purposes[name]}
      </Text>
      {data?.details.map((line) => (
        <Text size="sm" mt="xs" key={line}>
          {line}
        </Text>
      ))}
    </section>
  );
}

interface ServiceHealth {
  state: string;
  details: string[];
}

/** `/ready` names the dependencies, but only inside a cluster; elsewhere there is `/health`. */
async function healthOf(base: string): Promise<ServiceHealth> {
  try {
    const ready = await fetch(`${base}/ready`);
    if (ready.status === 200 || ready.status === 503) {
      // The only bodies with these statuses are its own, and a proxy's, which is no JSON.
      const { status, dependencies, degraded = {} } = (await ready.json()) as Readiness;
      const down = Object.entries(dependencies).filter(([, state]) => state === 'down');
      const details = down.map(([one]) => `${one} does not answer${degraded[one] ? `: ${degraded[one]}` : ''}`);
      return { state: status === 'ready' && down.length > 0 ? 'degraded' : status, details };
    }
    const health = await fetch(`${base}/health`);
    return health.ok ? { state: 'ready', details: [] } : { state: 'not_ready', details: [] };
  } catch {
    return { state: 'not_ready', details: ['It does not answer.'] };
  }
}
