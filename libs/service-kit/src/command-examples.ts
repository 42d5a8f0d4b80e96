import type { Command } from 'commander';

/**
 * Ends the help of a command with examples.
 * @param examples what follows the name of the service: `user list`
 */
export function addExamples(command: Command, ...examples: readonly string[]): Command {
  return command.addHelpText('after', () => {
    const lines = examples.map((example) => `  ${rootOf(command).name()} ${example}`);
    return ['', 'Examples:', ...lines].join('\n');
  });
}

const rootOf = (command: Command): Command => (command.parent ? rootOf(command.parent) : command);
