// `npm run bench [-- NAME ...] [--scale F] [--part P ...] [--seed N]`: runs the benchmarks one after the other, prints
// a table of each and keeps it under docs/benchmarks/, with a plot. Exits 1 when a target is missed. `--only TEXT`
// measures a part and replaces its rows. `--data-dir DIR` keeps loaded data for the next run. Benchmarks that do not
// know an option ignore it.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, totalmem } from 'node:os';
import { parseArgs } from 'node:util';
import type { Bench, BenchRow, BenchTables } from './bench.types.js';
import { plotOf } from './plot.js';

const here = new URL('./', import.meta.url);
const results = new URL('../../../docs/benchmarks/', import.meta.url);
const measuredStart = '<!-- measured:start -->';
const measuredEnd = '<!-- measured:end -->';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    scale: { type: 'string', default: '1' },
    part: { type: 'string', multiple: true },
    only: { type: 'string' },
    'data-dir': { type: 'string' },
    seed: { type: 'string' },
  },
});
const scale = Number(values.scale);
if (!(scale > 0)) throw new Error('--scale must be a positive number');

const files = readdirSync(here).filter((file) => file.endsWith('.bench.js'));
const benches = await Promise.all(
  files.map(async (file) => ((await import(new URL(file, here).href)) as { bench: Bench }).bench),
);
const unknown = positionals.filter((name) => !benches.some((bench) => bench.name === name));
if (unknown.length > 0) {
  throw new Error(`No benchmark named ${unknown.join(', ')}. There are: ${benches.map(({ name }) => name).join(', ')}`);
}

let missed = 0;
for (const bench of benches) {
  if (positionals.length > 0 && !positionals.includes(bench.name)) continue;
  console.log(`\n${bench.name}`);
  const { part: parts, only, 'data-dir': dataDir } = values;
  const seed = values.seed === undefined ? undefined : Number(values.seed);
  const log = (line: string) => console.log(`  ${line}`);
  const measured = await bench.run({ scale, parts, only, dataDir, seed, log });
  const tables = Array.isArray(measured) ? tablesOf(measured) : measured;
  console.log(`\n${tables.markdown}`);
  missed += tables.missed;
  // A shortened run is not recorded, and one of some parts would drop the others from the record.
  if (scale === 1 && !parts) keep(bench.name, tables, only !== undefined);
}
console.log(missed === 0 ? '\nEvery target is met.' : `\n${missed} target(s) missed.`);
process.exitCode = missed === 0 ? 0 : 1;

function tablesOf(rows: readonly BenchRow[]): BenchTables {
  return {
    markdown: markdownTable(rows),
    missed: rows.filter((row) => !row.pass).length,
    how: 'Ours and the peer in turn in one run; medians.',
  };
}

function markdownTable(rows: readonly BenchRow[]): string {
  const number = (value: number | undefined) =>
    value === undefined ? '' : value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(3);
  const hasProcessorMs = rows.some((row) => row.processorMs);
  const lines = rows.map((row) => {
    const processorMs = hasProcessorMs
      ? ` ${row.processorMs ? `${number(row.processorMs.ours)} / ${number(row.processorMs.peer)}` : ''} |`
      : '';
    return `| ${row.metric} | ${number(row.ours)} | ${number(row.peer)} | ${row.unit} | ${number(row.ratio)} |${processorMs} ${row.limit} | ${row.pass ? 'met' : '**missed**'} |`;
  });
  const processorMs = hasProcessorMs ? [' CPU ms a request, ours / peer |', '---|'] : ['', ''];
  return [
    `| what | ours | peer | unit | ratio |${processorMs[0]} target | |`,
    `|---|---|---|---|---|${processorMs[1]}---|---|`,
    ...lines,
  ].join('\n');
}

/** The table, with the rows of an older one that it does not have itself. */
function withRowsOf(table: string, older: string): string {
  const nameOf = (line: string) => line.split('|')[1]?.trim() ?? '';
  const known = new Set(table.split('\n').map(nameOf));
  const rows = older.split('\n').filter((line) => line.startsWith('|') && !/^\| *-/.test(line));
  return [...table.split('\n'), ...rows.filter((line) => !known.has(nameOf(line)))].join('\n');
}

/** The line that names what to plot, when it is among what is replaced. */
function plotLineOf(measured: string): string[] {
  const [line] = /^<!-- plot: .+ -->$/m.exec(measured) ?? [];
  return line === undefined ? [] : [line, ''];
}

/** In lines of at most 120 characters, as all pages. */
function wrapped(sentences: string): string {
  return sentences.replace(/(.{1,120})(?: |$)/g, '$1\n').trimEnd();
}

/** Replaces what the command measured before, draws its plot, and leaves the text that people wrote as it is. */
function keep(name: string, { markdown: table, how }: BenchTables, isPart: boolean): void {
  const file = new URL(`${name}.md`, results);
  mkdirSync(results, { recursive: true });
  const page = existsSync(file) ? readFileSync(file, 'utf8') : `# Benchmark: ${name}\n`;
  const [before = '', older = ''] = page.split(measuredStart);
  const [measured = '', after = '\n'] = older.split(measuredEnd);
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? arch()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  const section = [
    wrapped(`${new Date().toISOString().slice(0, 10)}, ${machine}. ${how}`),
    `Made by \`npm run bench -- ${name}\`.`,
    '',
    ...plotLineOf(measured),
    isPart ? withRowsOf(table, measured) : table,
  ].join('\n');
  const text = `${before.trimEnd()}\n\n${measuredStart}\n\n${section}\n\n${measuredEnd}${after}`;
  writeFileSync(file, text);
  const plot = plotOf(text);
  if (plot) writeFileSync(new URL(`${name}.svg`, results), plot);
}
