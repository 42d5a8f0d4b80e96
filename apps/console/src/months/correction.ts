// What a person has changed of a dead letter, as the service takes it: only what differs, so that a redrive without a
// change is recorded as one.

/** Attributes that may be corrected, in the order of the form. */
export const attributeNames = ['batch_number', 'total_batches', 'month'] as const;

export interface CorrectionForm {
  /** JSON of what the message shall hold. */
  content: string;
  attributes: Record<(typeof attributeNames)[number], string>;
}

export interface Correction {
  content?: Record<string, unknown>;
  attributes?: Record<string, string>;
}

export function formOf({ content, attributes }: { content: unknown; attributes: unknown }): CorrectionForm {
  const given = (attributes ?? {}) as Record<string, unknown>;
  const textOf = (name: string) => (typeof given[name] === 'string' ? given[name] : '');
  return {
    content: typeof content === 'string' ? content : JSON.stringify(content, null, 2),
    attributes: {
      batch_number: textOf('batch_number'),
      total_batches: textOf('total_batches'),
      month: textOf('month'),
    },
  };
}

/** The changes, or what is wrong with the text. */
export function correctionOf(form: CorrectionForm, before: CorrectionForm): Correction | { fault: string } {
  const changed = attributeNames.filter((name) => form.attributes[name].trim() !== before.attributes[name]);
  const correction: Correction =
    changed.length === 0
      ? {}
      : { attributes: Object.fromEntries(changed.map((name) => [name, form.attributes[name].trim()])) };
  if (form.content === before.content) return correction;
  let content: unknown;
  try {
    content = JSON.parse(form.content);
  } catch (error) {
    return { fault: `This is not JSON: ${(error as Error).message}` };
  }
  if (typeof content !== 'object' || content === null || Array.isArray(content))
    return { fault: 'This must be an object: {"profiles": [...]}' };
  return { ...correction, content: content as Record<string, unknown> };
}
