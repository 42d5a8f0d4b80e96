// The targets of a start, as a person types them: one a line, a handle or the address of a profile.

export interface Target {
  network_handle: string;
  entity: 'PERSON' | 'COMPANY';
}

/** As the service takes them; empty lines are dropped. The service judges each handle. */
export function targetsOf(text: string, entity: Target['entity']): Target[] {
  const lines = text.split('\n').map((line) => line.trim());
  return [...new Set(lines)].filter(Boolean).map((network_handle) => ({ network_handle, entity }));
}

/** Most items that jobs can store: what the person asks to pay for. Undefined without a bound. */
export function itemsMax(
  count: number,
  { posts, comments, reactions }: { posts: number; comments: number; reactions: number },
): number | undefined {
  if (posts === 0) return undefined;
  return count * posts * (1 + comments + reactions);
}
