import type { INestApplicationContext } from '@nestjs/common';
import type { ServiceDefinition } from '@tradewind/service-kit';

/** commander's Command, as service-kit passes it. */
export type Program = Parameters<NonNullable<ServiceDefinition['commands']>>[0];

/** Opens the service without its endpoints. */
export type Open = () => Promise<INestApplicationContext>;

/** Results of commands go to standard output, one line each. */
export function print(line: string): void {
  process.stdout.write(`${line}\n`);
}

export function printAll<T>(all: readonly T[], json: boolean | undefined, toLine: (one: T) => string): void {
  for (const one of all) print(json ? JSON.stringify(one) : toLine(one));
}

/** The parts that there are, two spaces apart. */
export const joined = (...parts: (string | null | undefined | false)[]): string => parts.filter(Boolean).join('  ');
