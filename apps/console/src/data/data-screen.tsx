// Asks the data API: a filter from its schema, what a call costs before it is spent, the records, and the same request
// as code. The filter is in the address and can be shared; the key and the records are in memory alone.
import './data-screen.css';
import { Button, Text, Title } from '@mantine/core';
import { skipToken, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { bodyOf } from '../api/api';
import { useConsole } from '../console-context';
import { Empty, Heading, Moment, Problem, Waiting } from '../look/states';
import { TextLink } from '../look/text-link';
import { CallsBar } from './calls-bar';
import { CodePanel } from './code-panel';
import {
  conditionsFromText,
  conditionsToText,
  faultOf,
  findField,
  sortKey,
  variablesOf,
  type Condition,
  type Sort,
} from './conditions';
import { askDataApi, DataApiError, type CallsLeft, type Page } from './data-api';
import { FieldsChoice } from './fields-choice';
import { FilterBuilder, SortFields } from './filter-builder';
import { KeyDialog } from './key-dialog';
import { noteCallsLeft, useKeyInUse } from './key-in-use';
import { inReadingOrder } from './reading-order';
import { RecordCard } from './record-card';
import { RecordTable } from './record-table';
import { chosenFields, requestFor, type DataRequest } from './request';
import { entities } from './schema.generated';
import type { EntityName } from './schema.types';
import { SpendDialog } from './spend-dialog';

const route = getRouteApi('/data');
const names = Object.keys(entities) as EntityName[];
const labels: Record<EntityName, string> = {
  companies: 'Companies',
  persons: 'Persons',
  deals: 'Deals',
  contacts: 'Contacts',
};

interface Results {
  pages: Page[];
  askedAt: string;
}

export function DataScreen() {
  const search = route.useSearch();
  const name = names.find((one) => one === search.of) ?? 'companies';
  return (
    <>
      <Heading title="Data" lead="Build a filter, see what it costs, and take the request with you as code." />
      <nav aria-label="What to look for" className="choices">
        {names.map((one) => (
          <TextLink key={one} to="/data" search={{ of: one }} aria-current={one === name ? 'page' : undefined}>
            {labels[one]}
          </TextLink>
        ))}
      </nav>
      {/* Another entity has other fields: it begins afresh. */}
      <EntityScreen key={name} name={name} />
    </>
  );
}

function EntityScreen({ name }: { name: EntityName }) {
  const { api, settings } = useConsole();
  const entity = entities[name];
  const url = `${settings.services['graphql-gateway']}/graphql`;
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const queries = useQueryClient();
  const key = useKeyInUse();
  const { conditions, leftOut, setConditions } = useConditions(name);
  const [areFaultsShown, setAreFaultsShown] = useState(false);
  const [dialog, setDialog] = useState<'key' | 'key, then ask' | { ask: DataRequest; isNext: boolean }>();
  const builder = useRef<HTMLElement>(null);

  const sort = sortOf(name, search.sort, search.direction);
  const fields = chosenFields(entity, search.fields?.split(',') ?? []);
  const isComplete = conditions.every((one) => faultOf(findField(entity, one.field)!, one) === undefined);
  const complete = conditions.filter((one) => faultOf(findField(entity, one.field)!, one) === undefined);
  const request = requestFor(entity, variablesOf(entity, complete, sort), fields);
  // What was asked is kept until the page is left: nobody pays twice to look again.
  const resultsKey = ['data', name, request];
  const { data: results } = useQuery<Results>({ queryKey: resultsKey, queryFn: skipToken, ...{ gcTime: Infinity } });
  const usage = useQuery({
    queryKey: ['keys', 'usage'],
    queryFn: () => bodyOf(api.gateway.GET('/usage')),
    refetchInterval: 60_000,
  });
  const ownCalls = usage.data && callsOf(usage.data.data_calls);
  // The key of somebody else spends the calls of somebody else.
  const callsLeft = key?.isOwn === false ? key.callsLeft : ownCalls;

  const note = (calls: CallsLeft | undefined) => {
    if (!calls) return;
    noteCallsLeft(calls);
    if (key?.isOwn === false) return;
    queries.setQueryData<typeof usage.data>(['keys', 'usage'], (known) => {
      const { limit, remaining } = calls;
      return known && { ...known, data_calls: { ...known.data_calls, limit, remaining, used: limit - remaining } };
    });
  };
  const ask = useMutation({
    mutationFn: async (asked: DataRequest) => askDataApi(url, key!.value, entity.connection, asked),
    onSuccess: ({ page, callsLeft: calls }, asked) => {
      note(calls);
      const { after, ...variables } = asked.variables;
      queries.setQueryData<Results>(['data', name, { ...asked, variables }], (known) => ({
        pages: after !== undefined && known ? [...known.pages, page] : [page],
        askedAt: new Date().toISOString(),
      }));
    },
    onError: (error) => {
      if (error instanceof DataApiError) note(error.callsLeft);
    },
  });
  const change = (changed: Condition[]) => {
    setConditions(changed);
    ask.reset();
  };

  const nextCursor = results?.pages.at(-1)?.nextCursor;
  const begin = (isNext: boolean) => {
    setAreFaultsShown(true);
    if (!isComplete) {
      // Once the faults are shown.
      requestAnimationFrame(() => builder.current?.querySelector<HTMLElement>('[aria-invalid="true"]')?.focus());
      return;
    }
    if (!key) return setDialog('key, then ask');
    setDialog({
      ask: isNext ? { ...request, variables: { ...request.variables, after: nextCursor } } : request,
      isNext,
    });
  };
  const records = results?.pages.flatMap(({ nodes }) => nodes) ?? [];

  return (
    <>
      <section className="card" aria-labelledby="filter-title" ref={builder}>
        <Title order={2} size="h4" id="filter-title" mb="xs">
          {labels[name]} that meet all of these
        </Title>
        {leftOut > 0 && (
          <Text className="notice" role="status" mb="sm">
            This version does not know a part of the filter in this address, and left it out.
          </Text>
        )}
        <FilterBuilder entity={entity} conditions={conditions} areFaultsShown={areFaultsShown} onChange={change} />
        <div className="builder-end">
          <SortFields
            entity={entity}
            sort={sort}
            onChange={(next) =>
              void navigate({
                search: { ...search, sort: next?.by, direction: next?.isDescending ? 'descending' : undefined },
                replace: true,
              })
            }
          />
          <FieldsChoice
            entity={entity}
            chosen={fields}
            onChange={(chosen) =>
              void navigate({ search: { ...search, fields: chosen.join(',') || undefined }, replace: true })
            }
          />
        </div>
      </section>
      <CallsBar
        callsLeft={callsLeft}
        isWaiting={usage.isPending}
        error={usage.error}
        isBusy={ask.isPending}
        onChangeKey={() => setDialog('key')}
        onAsk={() => begin(false)}
      />
      <section aria-labelledby="records-title" className="records">
        <h2 id="records-title" className="visually-hidden">
          Records
        </h2>
        {ask.isError && <AskProblem error={ask.error} onChangeKey={() => setDialog('key')} />}
        {ask.isPending && <Waiting what="Asking the data API" />}
        {!ask.isPending && !results && !ask.isError && (
          <Empty>Nothing asked yet. The records appear here; this filter costs one data call for each page.</Empty>
        )}
        {results && (
          <>
            <div className="records-bar">
              <Text role="status" fw={650}>
                {countText(results.pages.at(-1)!.totalCount, labels[name].toLowerCase())}
                <Text span c="dimmed" fw={400} size="sm">
                  {' '}
                  {records.length > 0 && `${records.length.toLocaleString('en')} here, `}asked{' '}
                  <Moment at={results.askedAt} isWithSeconds />
                </Text>
              </Text>
              {records.length > 0 && (
                <div role="group" aria-label="View" className="views">
                  {(['table', 'card'] as const).map((view) => (
                    <Button
                      key={view}
                      size="xs"
                      variant="default"
                      aria-pressed={(search.view ?? 'table') === view}
                      onClick={() =>
                        void navigate({
                          search: { ...search, view: view === 'table' ? undefined : view },
                          replace: true,
                        })
                      }
                    >
                      {view === 'table' ? 'Table' : 'Card'}
                    </Button>
                  ))}
                </div>
              )}
            </div>
            <Records
              name={name}
              fields={fields}
              records={records}
              hasNext={nextCursor !== undefined}
              isBusy={ask.isPending}
              onNext={() => begin(true)}
            />
          </>
        )}
      </section>
      <CodePanel url={url} entity={entity} request={request} fields={fields} isComplete={isComplete} />
      {(dialog === 'key' || dialog === 'key, then ask') && (
        <KeyDialog
          url={url}
          onClose={() => setDialog(undefined)}
          onTaken={() => {
            ask.reset();
            setDialog(dialog === 'key' ? undefined : { ask: request, isNext: false });
          }}
        />
      )}
      {typeof dialog === 'object' && (
        <SpendDialog
          callsLeft={callsLeft}
          askedAt={dialog.isNext ? undefined : results?.askedAt}
          isNext={dialog.isNext}
          onClose={() => setDialog(undefined)}
          onSpend={() => {
            setDialog(undefined);
            ask.mutate(dialog.ask);
          }}
        />
      )}
    </>
  );
}

function Records({
  name,
  fields,
  records,
  hasNext,
  isBusy,
  onNext,
}: {
  name: EntityName;
  fields: ReturnType<typeof chosenFields>;
  records: readonly Record<string, unknown>[];
  hasNext: boolean;
  isBusy: boolean;
  onNext: () => void;
}) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const [at, setAt] = useState(0);
  if (records.length === 0) return <Empty>A wider filter may find more.</Empty>;
  const shown = Math.min(at, records.length - 1);
  return (
    <>
      {search.view === 'card' ? (
        <RecordCard
          fields={inReadingOrder(name, fields)}
          record={records[shown]!}
          at={shown}
          of={records.length}
          onMove={setAt}
        />
      ) : (
        <RecordTable
          name={name}
          fields={fields}
          isChosen={search.fields !== undefined}
          records={records}
          onOpen={(index) => {
            setAt(index);
            void navigate({ search: { ...search, view: 'card' } });
          }}
        />
      )}
      {hasNext && (
        <Button mt="sm" variant="default" loading={isBusy} onClick={onNext}>
          Next page, one more call
        </Button>
      )}
    </>
  );
}

/** What the data API refused, and what may help. */
function AskProblem({ error, onChangeKey }: { error: Error; onChangeKey: () => void }) {
  const status = error instanceof DataApiError ? error.status : undefined;
  if (status === 401) {
    return (
      <Problem title="The data API does not take this key" error={error}>
        <Button mt="xs" variant="default" onClick={onChangeKey}>
          Use another key
        </Button>
      </Problem>
    );
  }
  if (status === 429) return <Problem title="A limit is reached" error={error} />;
  if (status === 400) return <Problem title="The data API does not take this filter" error={error} />;
  return <Problem error={error} />;
}

/** The conditions of the address, as they are being edited. */
function useConditions(name: EntityName) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const entity = entities[name];
  const [state, setState] = useState(() => conditionsFromText(entity, search.where));
  const written = useRef(search.where);
  useEffect(() => {
    // Not from here: Back, or a link to this screen.
    if (search.where === written.current) return;
    written.current = search.where;
    setState(conditionsFromText(entity, search.where));
  }, [entity, search.where]);
  const setConditions = (conditions: Condition[]) => {
    setState({ conditions, leftOut: 0 });
    written.current = conditionsToText(conditions);
    const where = written.current;
    void navigate({ search: (kept) => ({ ...kept, where }), replace: true });
  };
  return { ...state, setConditions };
}

function sortOf(name: EntityName, by: string | undefined, direction: string | undefined): Sort | undefined {
  const known = entities[name].sorts.some((one) => sortKey(one) === by);
  return known ? { by: by!, isDescending: direction === 'descending' } : undefined;
}

const callsOf = ({ limit, remaining, resets_at: at }: { limit: number; remaining: number; resets_at: string }) => ({
  limit,
  remaining,
  resetsAtMs: Date.parse(at),
});

function countText(count: number, what: string): string {
  if (count === 0) return `No ${what} match.`;
  if (count === 1) return 'One matches.';
  return `${count.toLocaleString('en')} ${what} match.`;
}
