// What the entry points share: one line for a failure, and the exit codes.

/** Exit codes of the data tools, documented in README.md. */
export const exitCodes = { done: 0, failed: 1, usage: 2, rowsRefused: 3 } as const;

/** A mistake in the arguments. */
export class UsageError extends Error {}

/** Runs an entry point; a failure is one line on stderr. */
export async function runEntryPoint(usage: string, run: () => Promise<number>): Promise<void> {
  try {
    process.exitCode = await run();
  } catch (error) {
    const { message } = error as Error;
    if (error instanceof UsageError || (error as { code?: string }).code?.startsWith('ERR_PARSE_ARGS')) {
      console.error(`${message}\n\n${usage}`);
      process.exitCode = exitCodes.usage;
    } else {
      console.error(message);
      process.exitCode = exitCodes.failed;
    }
  }
}

/** A whole number of at least zero. */
export function countOf(name: string, text: string | undefined): number {
  if (text === undefined) return 0;
  if (!/^[\d_]{1,12}$/.test(text)) throw new UsageError(`--${name} must be a whole number, not "${text}"`);
  return Number(text.replaceAll('_', ''));
}

/** UUIDs separated by commas. */
export function uuidsOf(name: string, text: string | undefined): string[] {
  const ids = (text ?? '')
    .split(',')
    .map((id) => id.trim())
    .filter((id) => id !== '');
  const wrong = ids.find((id) => !/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(id));
  if (wrong !== undefined) throw new UsageError(`--${name} takes UUIDs separated by commas; "${wrong}" is none`);
  return ids.map((id) => id.toLowerCase());
}
