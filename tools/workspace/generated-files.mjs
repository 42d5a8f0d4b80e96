// Every generator hands its files to `writeGenerated`, which formats and writes them, or compares them with `--check`.
// `npm run gen` runs each project's `generate.mjs` as a process that can import TypeScript sources.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { format, getFileInfo, resolveConfig } from 'prettier';

const root = fileURLToPath(new URL('../../', import.meta.url));

/**
 * @param {Record<string, string>} files contents by absolute path or file URL
 * Files that differ under `--check` are named on standard error and make the process end with code 1.
 */
export async function writeGenerated(files) {
  for (const [place, content] of Object.entries(files)) {
    const path = place.startsWith('file:') ? fileURLToPath(place) : place;
    const wanted = await formatted(path, content);
    const found = existsSync(path) ? readFileSync(path, 'utf8') : undefined;
    if (found === wanted) continue;
    if (process.argv.includes('--check')) {
      console.error(`${relative(root, path)} is not up to date; run "npm run gen"`);
      process.exitCode = 1;
    } else {
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, wanted);
      console.log(`wrote ${relative(root, path)}`);
    }
  }
}

/**
 * The text of a page with what is between `<!-- name:start -->` and `<!-- name:end -->` replaced.
 * @param {string} path of a page that has the two markers
 */
export function replacedBetween(path, name, content) {
  const [start, end] = [`<!-- ${name}:start -->`, `<!-- ${name}:end -->`];
  const page = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const [from, to] = [page.indexOf(start), page.indexOf(end)];
  if (from < 0 || to < from) throw new Error(`${relative(root, path)} needs the lines ${start} and ${end}`);
  return `${page.slice(0, from + start.length)}\n\n${content.trim()}\n\n${page.slice(to)}`;
}

async function formatted(path, content) {
  const { ignored, inferredParser } = await getFileInfo(path, { ignorePath: `${root}.prettierignore` });
  if (ignored || inferredParser === null) return content;
  return format(content, { ...(await resolveConfig(path)), parser: inferredParser });
}
