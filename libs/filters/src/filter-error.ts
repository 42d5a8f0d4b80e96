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

/** A filter that the caller must mend. The message is public: it names field, comparison and value. */
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

/** A value as it appears in a message: JSON, cut to a readable length. */
export function shown(value: unknown): string {
  const text = typeof value === 'bigint' ? String(value) : (JSON.stringify(value) ?? String(value));
  return text.length > 80 ? `${text.slice(0, 77)}...` : text;
}
