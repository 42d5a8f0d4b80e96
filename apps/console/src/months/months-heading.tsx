// The head of the screens about months. Dead letters, webhooks and profiles belong to no company, so they are for
// administrators of all.
import { Link } from '@tanstack/react-router';
import { useConsole } from '../console-context';
import { Heading } from '../look/states';
import { SubScreens } from '../look/sub-screens';

export function MonthsHeading() {
  const { user } = useConsole();
  return (
    <>
      <Heading title="Months" lead="Each month the profiles of the priority people are read and stored." />
      {user.role === 'ADMIN' && user.companyId === undefined && (
        <SubScreens label="Parts of Months">
          <Link to="/months" activeOptions={{ exact: true, includeSearch: false }}>
            Progress
          </Link>
          <Link to="/months/profiles" activeOptions={{ includeSearch: false }}>
            Profiles
          </Link>
          <Link to="/months/dead-letters" activeOptions={{ includeSearch: false }}>
            Dead letters
          </Link>
          <Link to="/months/unusable-webhooks" activeOptions={{ includeSearch: false }}>
            Unusable webhooks
          </Link>
        </SubScreens>
      )}
    </>
  );
}
