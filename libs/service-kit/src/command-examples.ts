import type { Command } from 'commander';

/**
 * Ends the help of a command, and of those below it, with the examples of that command.
 * @param examples what follows the name of the service: `user list`
 */
export function addExamples(command: Command, ...examples: readonly string[]): Command {
  return command.addHelpText('afterAll', ({ command: asked }) => {
    const [service = '', ...words] = pathOf(asked);
    const own = examples.filter((example) => words.every((word, index) => example.split(' ')[index] === word));
    if (own.length === 0) return '';
    return ['', 'Examples:', ...own.map((example) => `  ${service} ${example}`)].join('\n');
  });
}

const pathOf = (command: Command): string[] => [...(command.parent ? pathOf(command.parent) : []), command.name()];
