/** What a filter error says beside its sentence. */
export interface FilterErrorDetails {
  /** Path of the filter field, such as `searchFilters.revenue` without the argument: `revenue`. */
  field: string;
  comparison?: string;
  /** The offending value as it was sent. */
  value?: unknown;
  /** Nearest accepted names, best first. */
  suggestions?: readonly string[];
}

/** A filter that the caller must correct. The message is public: it names field, comparison and value. */
export class FilterError extends Error {
  /** The `extensions.code` of the GraphQL answer. */
  readonly code = 'BAD_USER_INPUT';
  readonly field: string;
  readonly comparison: string | undefined;
  readonly value: unknown;
  readonly suggestions: readonly string[];

  constructor(message: string, details: FilterErrorDetails) {
    super(message);
    this.name = 'FilterError';
    this.field = details.field;
    this.comparison = details.comparison;
    this.value = details.value;
    this.suggestions = details.suggestions ?? [];
  }
}

/** A name that the vocabulary does not have; it may have been added a moment ago. */
export class UnknownNameError extends FilterError {}

const shownCharsMax = 80;
const shownLevelsMax = 6;

/** A value as it appears in a message: JSON, cut to a readable length. Any value of `JSON.parse` may be shown. */
export function shown(value: unknown): string {
  const text =
    typeof value === 'bigint' ? String(value) : (JSON.stringify(cut(value, shownLevelsMax)) ?? String(value));
  return text.length > shownCharsMax ? `${text.slice(0, shownCharsMax - 3)}...` : text;
}

/** The part of a value that a message can show, so that long and deep values cost nothing. */
function cut(value: unknown, levels: number): unknown {
  if (typeof value === 'string') return value.slice(0, shownCharsMax);
  if (typeof value !== 'object' || value === null) return value;
  if (levels === 0) return '...';
  if (Array.isArray(value)) return (value as unknown[]).slice(0, shownCharsMax).map((entry) => cut(entry, levels - 1));
  const entries = Object.entries(value).slice(0, shownCharsMax);
  return Object.fromEntries(entries.map(([name, entry]) => [name.slice(0, shownCharsMax), cut(entry, levels - 1)]));
}
