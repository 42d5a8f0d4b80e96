import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/**
 * Runs a Node program and resolves with what it wrote; throws with that when it fails.
 * @param options `input` goes to its standard input; the signal ends it
 */
export async function runNode(
  words: string[],
  env: Record<string, string>,
  { input = '', signal }: { input?: string; signal?: AbortSignal },
): Promise<string> {
  const running = run(process.execPath, words, { env, signal });
  running.child.stdin?.end(input);
  try {
    return (await running).stdout;
  } catch (error) {
    if (signal?.aborted) throw error;
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    const output = `${stdout ?? ''}${stderr ?? ''}`.trim();
    throw new Error(`${words.slice(0, 3).join(' ')} failed:\n${output || (error as Error).message}`, { cause: error });
  }
}
