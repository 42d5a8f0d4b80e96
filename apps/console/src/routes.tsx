// Every screen and its address. A screen is loaded when it is opened; its state is in the query of the address.
import { Button, Text } from '@mantine/core';
import { createRootRoute, createRoute, createRouter, lazyRouteComponent, Link } from '@tanstack/react-router';
import { Frame } from './frame/frame';
import { Heading, Problem, Waiting } from './look/states';
import { textsOf } from './search';

const root = createRootRoute({ component: Frame, notFoundComponent: NotFound });

const overview = createRoute({
  getParentRoute: () => root,
  path: '/',
  component: lazyRouteComponent(() => import('./overview/overview-screen'), 'OverviewScreen'),
});
const jobs = createRoute({
  getParentRoute: () => root,
  path: '/jobs',
  validateSearch: textsOf('company', 'status', 'entity', 'handle', 'from', 'until', 'cursor', 'start', 'plan'),
  component: lazyRouteComponent(() => import('./jobs/jobs-screen'), 'JobsScreen'),
});
const job = createRoute({
  getParentRoute: () => root,
  path: '/jobs/$jobId',
  validateSearch: textsOf('items'),
  component: lazyRouteComponent(() => import('./jobs/job-screen'), 'JobScreen'),
});
const costs = createRoute({
  getParentRoute: () => root,
  path: '/jobs/costs',
  validateSearch: textsOf('month', 'cursor'),
  component: lazyRouteComponent(() => import('./jobs/costs-screen'), 'CostsScreen'),
});
const companyCosts = createRoute({
  getParentRoute: () => root,
  path: '/jobs/costs/$companyId',
  validateSearch: textsOf('month', 'set'),
  component: lazyRouteComponent(() => import('./jobs/company-costs-screen'), 'CompanyCostsScreen'),
});
const months = createRoute({
  getParentRoute: () => root,
  path: '/months',
  validateSearch: textsOf('month', 'year', 'retry', 'missing'),
  component: lazyRouteComponent(() => import('./months/months-screen'), 'MonthsScreen'),
});
const profiles = createRoute({
  getParentRoute: () => root,
  path: '/months/profiles',
  validateSearch: textsOf('username', 'month', 'delivery'),
  component: lazyRouteComponent(() => import('./months/profiles-screen'), 'ProfilesScreen'),
});
const deadLetters = createRoute({
  getParentRoute: () => root,
  path: '/months/dead-letters',
  validateSearch: textsOf('show', 'cursor'),
  component: lazyRouteComponent(() => import('./months/dead-letters-screen'), 'DeadLettersScreen'),
});
const deadLetter = createRoute({
  getParentRoute: () => root,
  path: '/months/dead-letters/$letterId',
  validateSearch: textsOf('act'),
  component: lazyRouteComponent(() => import('./months/dead-letter-screen'), 'DeadLetterScreen'),
});
const unusableWebhooks = createRoute({
  getParentRoute: () => root,
  path: '/months/unusable-webhooks',
  validateSearch: textsOf('show', 'cursor'),
  component: lazyRouteComponent(() => import('./months/unusable-webhooks-screen'), 'UnusableWebhooksScreen'),
});
const unusableWebhook = createRoute({
  getParentRoute: () => root,
  path: '/months/unusable-webhooks/$webhookId',
  validateSearch: textsOf('act'),
  component: lazyRouteComponent(() => import('./months/unusable-webhook-screen'), 'UnusableWebhookScreen'),
});
const data = createRoute({
  getParentRoute: () => root,
  path: '/data',
  validateSearch: textsOf('of', 'where', 'sort', 'direction', 'fields', 'view'),
  component: lazyRouteComponent(() => import('./data/data-screen'), 'DataScreen'),
});
const keys = createRoute({
  getParentRoute: () => root,
  path: '/keys',
  validateSearch: textsOf('whose', 'user', 'cursor', 'days', 'uses'),
  component: lazyRouteComponent(() => import('./keys/keys-screen'), 'KeysScreen'),
});
const users = createRoute({
  getParentRoute: () => root,
  path: '/users',
  validateSearch: textsOf('search', 'role', 'company', 'cursor', 'invite'),
  component: lazyRouteComponent(() => import('./users/users-screen'), 'UsersScreen'),
});
const user = createRoute({
  getParentRoute: () => root,
  path: '/users/$userId',
  component: lazyRouteComponent(() => import('./users/user-screen'), 'UserScreen'),
});
const sessions = createRoute({
  getParentRoute: () => root,
  path: '/sessions',
  validateSearch: textsOf('search', 'user', 'cursor'),
  component: lazyRouteComponent(() => import('./sessions/sessions-screen'), 'SessionsScreen'),
});
const applications = createRoute({
  getParentRoute: () => root,
  path: '/applications',
  validateSearch: textsOf('cursor', 'make'),
  component: lazyRouteComponent(() => import('./applications/applications-screen'), 'ApplicationsScreen'),
});
const application = createRoute({
  getParentRoute: () => root,
  path: '/applications/$clientId',
  validateSearch: textsOf('edit'),
  component: lazyRouteComponent(() => import('./applications/application-screen'), 'ApplicationScreen'),
});
const signingKeys = createRoute({
  getParentRoute: () => root,
  path: '/signing-keys',
  validateSearch: textsOf('rotate'),
  component: lazyRouteComponent(() => import('./signing-keys/signing-keys-screen'), 'SigningKeysScreen'),
});
const audit = createRoute({
  getParentRoute: () => root,
  path: '/audit',
  validateSearch: textsOf('event', 'user', 'client', 'days', 'from', 'until', 'cursor'),
  component: lazyRouteComponent(() => import('./audit/audit-screen'), 'AuditScreen'),
});

export function createConsoleRouter() {
  return createRouter({
    routeTree: root.addChildren([
      overview,
      ...[jobs, job, costs, companyCosts],
      ...[months, profiles, deadLetters, deadLetter, unusableWebhooks, unusableWebhook],
      ...[data, keys, users, user, sessions, applications, application, signingKeys, audit],
    ]),
    // The texts of an address as they are, readable and without quotes.
    parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
    stringifySearch: (search) => {
      const texts = Object.entries(search).flatMap(([name, value]) => (value ? [[name, String(value)]] : []));
      return texts.length === 0 ? '' : `?${new URLSearchParams(texts).toString()}`;
    },
    defaultPreload: 'intent',
    defaultPendingComponent: () => <Waiting what="Loading the screen" />,
    defaultErrorComponent: ({ error, reset }) => <Problem error={error as Error} onRetry={reset} />,
    scrollRestoration: true,
  });
}

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}

function NotFound() {
  return (
    <>
      <Heading title="There is no such screen" />
      <Text mb="md">The address may be wrong, or of another version of the console.</Text>
      <Button component={Link} to="/">
        Overview
      </Button>
    </>
  );
}
