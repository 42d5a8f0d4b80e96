// What an operator sees of the topics and subscriptions of any cloud.

/** One topic or subscription and what was done about it. */
export interface TopologyEntry {
  /** For example `subscription network-scraping-batches-push`. */
  resource: string;
  outcome: 'created' | 'matches';
}

/** Something that exists differs from the settings. It was not changed; a person has to decide. */
export class TopologyMismatchError extends Error {
  constructor(readonly mismatches: readonly string[]) {
    super(`The queue is set up differently from the settings:\n${mismatches.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'TopologyMismatchError';
  }
}
