import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { jobStages } from './tracker.types.js';
import { stateDiagram, transitions, transitionSql, type Transition, type TransitionName } from './transitions.js';

const all = Object.entries<Transition>(transitions) as [TransitionName, Transition][];

describe('the transitions', () => {
  it('are what the diagram in the README shows', () => {
    const readme = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
    expect(/```mermaid\n([^`]*)\n```/.exec(readme)?.[1]).toBe(stateDiagram());
  });

  it('never leave done, and reach every other stage', () => {
    expect(all.filter(([, { from }]) => from.includes('done'))).toEqual([]);
    const reached = new Set(['queued', ...all.map(([, { to }]) => to)]);
    expect([...reached].sort()).toEqual([...jobStages].sort());
  });

  it.each(all)('%s has a final status exactly when the job is done', (_name, { to, status }) => {
    expect(status !== undefined && !['PENDING', 'RUNNING'].includes(status)).toBe(to === 'done');
  });

  it('become the two parts of an UPDATE', () => {
    expect(transitionSql('runFailed')).toEqual({
      set: "stage = 'done', status = 'FAILED', completed_date = clock_timestamp()",
      where: "stage in ('following')",
    });
    expect(transitionSql('noRun')).toEqual({
      set:
        "stage = case when abort_requested_at is null then 'queued' else 'done' end, " +
        "status = case when abort_requested_at is null then status else 'ABORTED' end",
      where: "stage in ('starting', 'unsettled')",
    });
  });
});
