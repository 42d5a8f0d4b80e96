/** One measured figure, beside the peer or the limit that was measured in the same run. */
export interface BenchRow {
  /** What was measured, with the circumstances that matter. */
  metric: string;
  unit: string;
  ours: number;
  /** The same figure of the peer, measured in turn with ours. */
  peer?: number | undefined;
  /** ours / peer, the median of the ratios round by round. */
  ratio?: number;
  /** Processor time of one request, ms, server and database together; a busy machine changes it least. */
  processorMs?: { ours: number; peer: number };
  /** The target in words, for example ">= 0.6". */
  limit: string;
  pass: boolean;
}

export interface BenchContext {
  /** Multiplies row counts and durations; 1 is the size the targets are stated for. From `--scale`. */
  scale: number;
  /** The parts to measure, for a benchmark that has parts; all unless given. From `--part`. */
  parts: readonly string[] | undefined;
  /** Measures only what has this text in its name; the gateway takes a regular expression. From `--only`. */
  only?: string | undefined;
  /** Folder that keeps the data between runs, so that it is loaded once. From `--data-dir`. */
  dataDir?: string | undefined;
  /** Where random choices begin; a benchmark has its own number unless given. From `--seed`. */
  seed?: number | undefined;
  /** Progress, for a person. */
  log: (line: string) => void;
}

/** Tables of a benchmark with more than two sides. */
export interface BenchTables {
  markdown: string;
  /** Targets that were missed. */
  missed: number;
  /** One sentence on how the figures were measured. */
  how: string;
}

/** A file `<name>.bench.ts` in this folder exports one as `bench`. */
export interface Bench {
  name: string;
  run(context: BenchContext): Promise<BenchRow[] | BenchTables>;
}
