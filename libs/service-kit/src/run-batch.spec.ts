import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { Command } from 'commander';
import { isCommanderError, runBatch } from './run-batch.js';

describe('a batch of operator commands', () => {
  let greeted: string[];
  let said: string;
  let program: Command;
  beforeEach(() => {
    greeted = [];
    said = '';
    jest.spyOn(process.stderr, 'write').mockImplementation((text) => Boolean((said += String(text))));
    program = new Command('example').exitOverride();
    const write = (text: string) => void (said += text);
    program.configureOutput({ writeErr: write, writeOut: write });
    program
      .command('greet')
      .requiredOption('--name <name>')
      .option('--loud')
      .action(({ name, loud }: { name: string; loud?: boolean }) => {
        if (name === 'nobody') throw new Error('nobody cannot be greeted');
        greeted.push(loud ? name.toUpperCase() : name);
      });
  });
  afterEach(() => {
    jest.restoreAllMocks();
  });

  const batch = (...lines: unknown[]) =>
    runBatch(program, lines.map((line) => (typeof line === 'string' ? line : JSON.stringify(line))).join('\n'));
  const ada = ['greet', '--name', 'Ada'];

  it('runs each line with its own options, and an empty line is none', async () => {
    await batch([...ada, '--loud'], '', '  ["greet", "--name", "Grace \\"Amazing\\" Hopper"]\r', ada, '');
    expect(greeted).toEqual(['ADA', 'Grace "Amazing" Hopper', 'Ada']);
    expect(said).toBe('');
    await batch();
    expect(greeted).toHaveLength(3);
  });

  it('goes on after a line that asks for help', async () => {
    await batch(['greet', '--help'], ada);
    expect(said).toContain('--name <name>');
    expect(greeted).toEqual(['Ada']);
  });

  it.each([
    [['dance'], "unknown command 'dance'", true],
    [['greet'], "required option '--name <name>' not specified", true],
    [['greet', '--name'], "option '--name <name>' argument missing", true],
    [['greet', '--name', 'nobody'], 'nobody cannot be greeted', false],
  ])('ends with %j, and names its line', async (line, fault, isOfCommander) => {
    const error: unknown = await batch(ada, '', line, ada).catch((reason: unknown) => reason);
    expect((error as Error).message).toContain(fault);
    expect(isCommanderError(error)).toBe(isOfCommander);
    expect(said).toContain('Line 3 failed, and no line after it ran.\n');
    expect(greeted).toEqual(['Ada']);
  });

  it.each([
    ['greet --name Ada', 'line 2 is no JSON array of words'],
    ['{"greet":"Ada"}', 'line 2 is no JSON array of words'],
    ['null', 'line 2 is no JSON array of words'],
    [['greet', '--name', 1], 'line 2 is no JSON array of words'],
    [['serve'], 'line 2: no batch can run serve'],
    [['batch'], 'line 2: no batch can run batch'],
  ])('runs no line where one is %j', async (line, fault) => {
    await expect(batch(ada, line)).rejects.toThrow(`${fault}`);
    expect(greeted).toEqual([]);
  });
});
