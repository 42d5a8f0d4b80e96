import type { ValueTransformer } from 'typeorm';

/** For columns of TypeORM that hold JSON as text: unlike jsonb, text takes an escaped U+0000. */
export const jsonText: ValueTransformer = {
  from: (text: string): unknown => JSON.parse(text),
  to: (value: unknown): string => JSON.stringify(value),
};
