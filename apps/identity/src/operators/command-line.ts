import type { INestApplicationContext } from '@nestjs/common';
import { textTable, type ServiceDefinition } from '@tradewind/service-kit';

/** commander's Command, as service-kit passes it. */
export type Program = Parameters<NonNullable<ServiceDefinition['commands']>>[0];

/** Opens the service without its endpoints. */
export type Open = () => Promise<INestApplicationContext>;

/** Results of commands go to standard output, one line each. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

/** How a list is shown: `users` by the cells of each row under the headings. */
export interface ListDisplay<T> {
  name: string;
  headings: readonly string[];
  cells: (one: T) => readonly (string | null | undefined)[];
}

/** A table for people, or one JSON object on each line for programs. */
export function printList<T>(all: readonly T[], json: boolean | undefined, display: ListDisplay<T>): void {
  if (json) for (const one of all) print(JSON.stringify(one));
  else print(textTable(display.headings, all.map(display.cells), `Nothing here: there are no ${display.name}.`));
}
