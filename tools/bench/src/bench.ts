// `npm run bench [-- NAME ...] [--scale F] [--part P ...]`: runs the benchmarks one after the other, prints a table of each and keeps
// it under docs/benchmarks/. Exits 1 when a target is missed.
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { arch, cpus, totalmem } from 'node:os';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import type { Bench, BenchRow } from './bench.types.js';

const here = new URL('./', import.meta.url);
const results = new URL('../../../docs/benchmarks/', import.meta.url);

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { scale: { type: 'string', default: '1' }, part: { type: 'string', multiple: true } },
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
  const rows = await bench.run({ scale, parts: values.part, log: (line) => console.log(`  ${line}`) });
  const table = markdownTable(rows);
  console.log(`\n${table}`);
  missed += rows.filter((row) => !row.pass).length;
  // A shortened run is for a look, and one of parts would drop the others from the record.
  if (scale === 1 && !values.part) keep(bench.name, table);
}
console.log(missed === 0 ? '\nEvery target is met.' : `\n${missed} target(s) missed.`);
process.exitCode = missed === 0 ? 0 : 1;

function markdownTable(rows: readonly BenchRow[]): string {
  const number = (value: number | undefined) =>
    value === undefined ? '' : value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(2) : value.toFixed(3);
  const lines = rows.map(
    (row) =>
      `| ${row.metric} | ${number(row.ours)} | ${number(row.peer)} | ${row.unit} | ${number(row.ratio)} | ${row.limit} | ${row.pass ? 'met' : '**missed**'} |`,
  );
  return ['| what | ours | peer | unit | ratio | target | |', '|---|---|---|---|---|---|---|', ...lines].join('\n');
}

function keep(name: string, table: string): void {
  mkdirSync(results, { recursive: true });
  const machine = `${cpus().length} cores (${cpus()[0]?.model ?? arch()}), ${Math.round(totalmem() / 2 ** 30)} GiB, Node ${process.versions.node}`;
  const text = `# Benchmark: ${name}\n\n${new Date().toISOString().slice(0, 10)}, ${machine}. Ours and the peer in turn in one run; medians.\nMade by \`npm run bench -- ${name}\`.\n\n${table}\n`;
  writeFileSync(fileURLToPath(new URL(`${name}.md`, results)), text);
}
