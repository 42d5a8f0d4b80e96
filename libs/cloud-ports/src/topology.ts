// What an operator sees of the set-up of topics and subscriptions, whichever cloud it is.

/** One topic or subscription and what was done about it. */
export interface TopologyEntry {
  /** For example `subscription network-scraping-batches-push`. */
  resource: string;
  outcome: 'created' | 'matches';
}

/** Something exists already and differs from the settings. Nothing existing was changed; a person has to decide. */
export class TopologyMismatchError extends Error {
  constructor(readonly mismatches: readonly string[]) {
    super(`The queue is set up differently from the settings:\n${mismatches.map((line) => `  ${line}`).join('\n')}`);
    this.name = 'TopologyMismatchError';
  }
}
