// What somebody has to look at, each with the way there.
import { Title } from '@mantine/core';
import { useQueries } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { bodyOf } from '../api/api';
import type { Console } from '../console-context';
import { useConsole } from '../console-context';
import { nearlyUsed, usedShare } from '../jobs/budget-bar';
import { expiringBefore, isLasting } from '../keys/expiring';
import { counted, dollars } from '../look/numbers';
import { Empty, Moment, Waiting } from '../look/states';
import { TextLink } from '../look/text-link';
import { serviceNames, type ServiceName } from '../settings';
import type { ServiceHealth } from './readiness';

const askMs = 15_000;
/** Webhooks, budgets and keys that are looked at; more are said to be more. */
const lookedAtMax = 200;
/** A job that is not done after this time. */
const longHours = 6;

interface Point {
  key: string;
  tone: 'bad' | 'warn';
  text: ReactNode;
}

export function Attention({ health }: { health: Record<ServiceName, ServiceHealth | undefined> }) {
  const context = useConsole();
  // Each on its own: a service that does not answer hides nothing of the others.
  const answers = useQueries({
    queries: Object.entries(questions).map(([about, ask]) => ({
      queryKey: ['attention', about],
      queryFn: () => ask(context),
      refetchInterval: askMs,
    })),
  });
  const failures = Object.keys(questions).flatMap((about, index): Point[] => {
    const { error } = answers[index]!;
    return error ? [{ key: about, tone: 'bad', text: `The ${about} are not known. ${error.message}` }] : [];
  });
  const points = [
    ...serviceNames.flatMap((name) => pointsOf(name, health[name])),
    ...failures,
    ...answers.flatMap(({ data, isError }) => (isError ? [] : (data ?? []))),
  ];
  const isPending = answers.some((answer) => answer.isPending);
  return (
    <section aria-labelledby="attention">
      <Title order={2} size="h4" mb="xs" id="attention">
        Needs attention
      </Title>
      {points.length > 0 && (
        <ul className="card attention">
          {points.map(({ key, tone, text }) => (
            <li key={key} data-tone={tone}>
              {text}
            </li>
          ))}
        </ul>
      )}
      {isPending && <Waiting what="Looking for what needs attention" />}
      {!isPending && points.length === 0 && <Empty>Nothing needs attention.</Empty>}
    </section>
  );
}

function pointsOf(name: ServiceName, health: ServiceHealth | undefined): Point[] {
  if (!health || health.state === 'ready') return [];
  const isAway = health.state === 'not_ready';
  return [{ key: name, tone: isAway ? 'bad' : 'warn', text: `${name} ${isAway ? 'does not work' : 'is degraded'}.` }];
}

type Question = (context: Console) => Promise<Point[]>;

const isOperator = ({ user }: Console) => user.role === 'ADMIN' && user.companyId === undefined;

const deadLetters: Question = async (context) => {
  if (!isOperator(context)) return [];
  const { open_dead_letters: open, lost_profiles: lost } = await bodyOf(
    context.api.priorityApi.GET('/admin/attention'),
  );
  return [
    ...(open === 0
      ? []
      : [
          {
            key: 'dead letters',
            tone: 'bad' as const,
            text: (
              <>
                <TextLink to="/months/dead-letters">{counted(open, 'dead letter')}</TextLink> could not be used.
              </>
            ),
          },
        ]),
    ...(lost === 0
      ? []
      : [
          {
            key: 'lost',
            tone: 'warn' as const,
            text: (
              <>
                <TextLink to="/months">{counted(lost, 'profile')}</TextLink> {lost === 1 ? 'is' : 'are'} overdue:
                started long ago, and nothing came.
              </>
            ),
          },
        ]),
  ];
};

const unusableWebhooks: Question = async (context) => {
  if (!isOperator(context)) return [];
  const { unusable_webhooks: webhooks, next_cursor: next } = await bodyOf(
    context.api.priorityWebhook.GET('/admin/unusable-webhooks', { params: { query: { limit: lookedAtMax } } }),
  );
  if (webhooks.length === 0) return [];
  return [
    {
      key: 'webhooks',
      tone: 'warn',
      text: (
        <>
          <TextLink to="/months/unusable-webhooks">
            {next === null ? '' : 'More than '}
            {counted(webhooks.length, 'webhook')}
          </TextLink>{' '}
          named no profile.
        </>
      ),
    },
  ];
};

const budgets: Question = async ({ api, user }) => {
  if (user.role !== 'ADMIN') return [];
  const { budgets: companies } = await bodyOf(
    api.interactions.GET('/admin/budgets', { params: { query: { limit: lookedAtMax } } }),
  );
  return companies.flatMap((company) => {
    const share = usedShare(company);
    if (share === undefined || share < nearlyUsed) return [];
    const id = company.user_company_id;
    return [
      {
        key: `budget of ${id}`,
        tone: share >= 1 ? ('bad' as const) : ('warn' as const),
        text: (
          <>
            <TextLink to="/jobs/costs/$companyId" params={{ companyId: id }}>
              {id}
            </TextLink>{' '}
            has used {share >= 1 ? 'all' : `${Math.floor(share * 100)}%`} of its budget of{' '}
            {dollars(company.budget_usd!)} for this month.
          </>
        ),
      },
    ];
  });
};

const longJobs: Question = async ({ api, user }) => {
  if (user.role !== 'ADMIN') return [];
  const { oldest_active_at: at } = await bodyOf(
    api.interactions.GET('/admin/jobs/days', { params: { query: { days: 1 } } }),
  );
  if (at === null || Date.now() - Date.parse(at) < longHours * 3_600_000) return [];
  return [
    {
      key: 'old job',
      tone: 'warn',
      text: (
        <>
          A <TextLink to="/jobs">job</TextLink> has not ended since <Moment at={at} />.
        </>
      ),
    },
  ];
};

const keys: Question = async ({ api, user }) => {
  const before = expiringBefore();
  const { keys: own } = await bodyOf(api.gateway.GET('/keys', { params: { query: { limit: lookedAtMax } } }));
  const ofOthers = user.role === 'ADMIN' ? await keysOfOthers(api, before, user.id) : [];
  const ofUser = own
    .filter((key) => key.state === 'active' && Date.parse(key.expires_at) < Date.parse(before) && isLasting(key))
    .map(({ id, name, expires_at: at }): Point => ({
      key: id,
      tone: 'warn',
      text: (
        <>
          Your key <TextLink to="/keys">{name}</TextLink> expires at <Moment at={at} />.
        </>
      ),
    }));
  return [...ofUser, ...ofOthers];
};

async function keysOfOthers(api: Console['api'], before: string, userId: string): Promise<Point[]> {
  const { keys: expiring, next_cursor: next } = await bodyOf(
    api.gateway.GET('/admin/keys', { params: { query: { expires_before: before, limit: lookedAtMax } } }),
  );
  const count = expiring.filter((key) => key.user_id !== userId && isLasting(key)).length;
  if (count === 0) return [];
  return [
    {
      key: 'keys of others',
      tone: 'warn',
      text: (
        <>
          <TextLink to="/keys" search={{ whose: 'expiring' }}>
            {next === null ? '' : 'More than '}
            {counted(count, 'key')}
          </TextLink>{' '}
          of other users {count === 1 ? 'expires' : 'expire'} within two weeks.
        </>
      ),
    },
  ];
}

const questions: Record<string, Question> = {
  'dead letters': deadLetters,
  'unusable webhooks': unusableWebhooks,
  budgets,
  jobs: longJobs,
  keys,
};
