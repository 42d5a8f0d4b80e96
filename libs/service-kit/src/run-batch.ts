import type { Command } from './define-service.js';
import { isError } from './is-error.js';
import { OperatorError } from './operator-error.js';

/**
 * Runs many commands in one process, since most of the time of a command is the start of one. Every line is checked
 * before the first command runs. A command that fails ends the batch.
 */
export async function runBatch(program: Command, text: string): Promise<void> {
  const commands = text
    .split('\n')
    .map((line, index) => ({ line: line.trim(), number: index + 1 }))
    .filter(({ line }) => line !== '')
    .map(({ line, number }) => ({ words: wordsOf(line, number), number }));
  for (const { words, number } of commands) {
    try {
      await program.parseAsync(words, { from: 'user' });
    } catch (error) {
      if (isCommanderError(error) && error.exitCode === 0) continue;
      process.stderr.write(`Line ${number} failed, and no line after it ran.\n`);
      throw error;
    }
  }
}

/** @throws OperatorError for a line that is no command of a batch */
function wordsOf(line: string, number: number): string[] {
  const words = jsonOf(line);
  if (!Array.isArray(words) || !words.every((word) => typeof word === 'string')) {
    throw new OperatorError(`line ${number} is no JSON array of words, such as ["user","list"]; no line ran`);
  }
  if (words[0] === 'serve' || words[0] === 'batch') {
    throw new OperatorError(`line ${number}: no batch can run ${words[0]}; no line ran`);
  }
  return words;
}

function jsonOf(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * Whether commander threw it, which then has printed a fault or help. By its code, because only commands load
 * commander.
 */
export const isCommanderError = (error: unknown): error is Error & { exitCode: number } =>
  isError(error) && 'exitCode' in error && 'code' in error && String(error.code).startsWith('commander.');
