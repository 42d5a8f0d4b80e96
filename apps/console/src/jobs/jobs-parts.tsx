// The parts of the screen Jobs. Costs and budgets are for administrators.
import { Link } from '@tanstack/react-router';
import { useConsole } from '../console-context';
import { SubScreens } from '../look/sub-screens';

export function JobsParts() {
  const { user } = useConsole();
  if (user.role !== 'ADMIN') return null;
  return (
    <SubScreens label="Parts of Jobs">
      <Link to="/jobs" activeOptions={{ exact: true, includeSearch: false }}>
        Jobs
      </Link>
      <Link to="/jobs/costs" activeOptions={{ includeSearch: false }}>
        Costs and budgets
      </Link>
    </SubScreens>
  );
}
