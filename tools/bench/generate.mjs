// Draws the plots of docs/benchmarks from the tables of the pages.
import { globSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { writeGenerated } from '../workspace/generated-files.mjs';
import { plotOf } from './src/plot.ts';

const folder = fileURLToPath(new URL('../../docs/benchmarks/', import.meta.url));
const plots = globSync(`${folder}*.md`).map((page) => [
  page.replace(/\.md$/, '.svg'),
  plotOf(readFileSync(page, 'utf8')),
]);
await writeGenerated(Object.fromEntries(plots.filter(([, plot]) => plot !== undefined)));
