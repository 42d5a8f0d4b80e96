// Every way in which a job moves through the tracker. The statements of transitions.store.ts are built from this table,
// so nothing else can move a job. A test compares it with the diagram in the README.
import type { JobStage, TrackerStatus } from './tracker.types.js';

export interface Transition {
  /** What happened, in the words of the diagram. */
  event: string;
  /** The stages in which the event counts. In any other stage it is late, and changes nothing. */
  from: readonly JobStage[];
  to: JobStage;
  /** What callers see afterwards; absent leaves it. */
  status?: TrackerStatus;
  /** Its run has ended, so what it cost is recorded here, once. */
  endsRun?: true;
  /** A job for which an abort was requested ends here as ABORTED instead: it is certain that it has no run. */
  endsAborted?: true;
}

const withoutRun = ['queued', 'starting', 'unsettled'] as const;

export const transitions = {
  claimStart: { event: 'a slot is free', from: ['queued'], to: 'starting' },
  abortQueued: { event: 'abort requested', from: ['queued'], to: 'done', status: 'ABORTED' },
  startUnknown: { event: 'outcome unknown', from: ['starting'], to: 'unsettled' },
  claimUnsettled: { event: 'replica silent', from: ['starting', 'unsettled'], to: 'unsettled' },
  claimFollowing: { event: 'due', from: ['following'], to: 'following' },
  claimStoring: { event: 'due', from: ['storing'], to: 'storing' },
  noRun: { event: 'no run was started', from: ['starting', 'unsettled'], to: 'queued', endsAborted: true },
  startFailed: {
    event: 'refused or given up',
    from: withoutRun,
    to: 'done',
    status: 'FAILED',
    endsAborted: true,
  },
  runKnown: { event: 'run known', from: withoutRun, to: 'following' },
  runningRunKnown: { event: 'running run known', from: withoutRun, to: 'following', status: 'RUNNING' },
  webhook: { event: 'webhook', from: [...withoutRun, 'following'], to: 'following' },
  runUnchanged: { event: 'looked up', from: ['following'], to: 'following' },
  runRunning: { event: 'run RUNNING', from: ['following'], to: 'following', status: 'RUNNING' },
  // The run may have been too short for anybody to see it RUNNING; its job is at work until the items are stored.
  runSucceeded: { event: 'run SUCCEEDED', from: ['following'], to: 'storing', status: 'RUNNING', endsRun: true },
  runFailed: { event: 'run FAILED or TIMED-OUT', from: ['following'], to: 'done', status: 'FAILED', endsRun: true },
  runAborted: { event: 'run ABORTED', from: ['following'], to: 'done', status: 'ABORTED', endsRun: true },
  runMissing: { event: 'run missing', from: ['following'], to: 'done', status: 'FAILED', endsRun: true },
  itemsMissing: { event: 'items missing', from: ['storing'], to: 'done', status: 'FAILED' },
  itemsStored: { event: 'items stored', from: ['storing'], to: 'done', status: 'COMPLETED' },
} as const satisfies Record<string, Transition>;

export type TransitionName = keyof typeof transitions;

/** The two parts of an UPDATE that make a transition: what it sets, and the stages in which it counts. */
export function transitionSql(name: TransitionName): { set: string; where: string } {
  const { from, to, status, endsAborted }: Transition = transitions[name];
  const values: Record<string, string> = { stage: `'${to}'` };
  if (status) values['status'] = `'${status}'`;
  if (status === 'FAILED' || status === 'COMPLETED') values['completed_date'] = 'clock_timestamp()';
  if (endsAborted) {
    values['stage'] = `case when abort_requested_at is null then '${to}' else 'done' end`;
    values['status'] = `case when abort_requested_at is null then ${values['status'] ?? 'status'} else 'ABORTED' end`;
    if (values['completed_date'])
      values['completed_date'] = 'case when abort_requested_at is null then clock_timestamp() end';
  }
  return {
    set: Object.entries(values)
      .map(([column, value]) => `${column} = ${value}`)
      .join(', '),
    where: `stage in (${from.map((stage) => `'${stage}'`).join(', ')})`,
  };
}

/**
 * The table as a mermaid diagram: one arrow for each pair of stages, with its events and the status that callers see.
 */
export function stateDiagram(): string {
  const arrows = new Map<string, Set<string>>([['[*] --> queued', new Set(['recorded, PENDING'])]]);
  const add = (from: JobStage, to: JobStage, event: string, status?: TrackerStatus) => {
    const arrow = `${from} --> ${to}`;
    arrows.set(arrow, (arrows.get(arrow) ?? new Set()).add(status ? `${event}, ${status}` : event));
  };
  for (const { event, from, to, status, endsAborted } of Object.values<Transition>(transitions)) {
    for (const stage of from) {
      if (stage === to && !status) continue;
      add(stage, to, event, status);
      if (endsAborted) add(stage, 'done', 'abort requested and no run', 'ABORTED');
    }
  }
  return [
    'stateDiagram-v2',
    '  direction LR',
    ...[...arrows].map(([arrow, events]) => `  ${arrow}: ${[...events].join(' / ')}`),
  ].join('\n');
}
