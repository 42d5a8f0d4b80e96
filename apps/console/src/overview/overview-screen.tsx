// The whole at a glance: what needs attention, what runs, the last days, and whether every service works.
import './overview.css';
import { useConsole } from '../console-context';
import { Heading } from '../look/states';
import { Attention } from './attention';
import { LastDays } from './last-days';
import { RunningNow } from './running-now';
import { useHealth } from './service-health';
import { Services } from './services';

export function OverviewScreen() {
  const { user } = useConsole();
  const health = useHealth();
  return (
    <>
      <Heading title="Overview" lead="What needs attention, what runs, and what works." />
      <Attention health={health} />
      {user.role !== 'USER' && <RunningNow />}
      {user.role === 'ADMIN' && <LastDays />}
      <Services health={health} />
    </>
  );
}
