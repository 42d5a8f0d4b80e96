// `npm run check` runs this without arguments: it scans the files of the tree, those not yet added included.
// `npm run scan -- FOLDER...` scans the logs in folders, where less is allowed. With `--known` it reads a JSON array of
// texts from standard input and looks for these as well. They may be the passwords and tokens that a run used.
// `--since` with a time in ISO 8601 leaves out earlier entries. `npm run scan -- --image FILE` scans the image in an
// archive. `--base FILE` is an archive of the image that it was built on, which is left out; `--published FOLDER` is
// another checkout, with its packages and programs. A secret that is found is never printed in full.
import { execFileSync } from 'node:child_process';
import { existsSync, globSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join, relative } from 'node:path';
import { parseArgs } from 'node:util';
import { fileURLToPath } from 'node:url';
import { root } from '../projects.mjs';
import { allowedTexts } from './allowed-texts.mjs';
import { findSecrets } from './find-secrets.mjs';
import { isSecretFile, secretFileSentence, secretSentence } from './findings.mjs';
import { KnownValues } from './known-values.mjs';
import { scanImage } from './scan-image.mjs';

const allowedFile = 'tools/workspace/secrets/allowed-texts.mjs';

/**
 * Scans the files of a checkout.
 * @returns {Promise<{findings: string[], files: number, bytes: number}>} sentences for a person
 */
export async function scanTree(folder = root, allowed = allowedTexts) {
  const listed = execFileSync('git', ['ls-files', '-z', '--cached', '--others', '--exclude-standard'], {
    cwd: folder,
    encoding: 'utf8',
  });
  const files = [...new Set(listed.split('\0'))].filter((file) => file !== '' && existsSync(join(folder, file))).sort();
  const { findings, bytes, used, pairs } = await scanFiles(folder, files, allowed);
  for (const { text, file } of pairs) {
    if (!used.has(`${file} ${text}`)) findings.push(`${allowedFile}: ${file} no longer has ${text.slice(0, 4)}…`);
  }
  return { findings, files: files.length, bytes };
}

/**
 * Scans what a build of the images can copy: every file that .dockerignore lets through, whether git knows it or not.
 */
export async function scanContext(folder = root, allowed = allowedTexts) {
  const lines = readFileSync(join(folder, '.dockerignore'), 'utf8').split('\n');
  // What is let through again is a file of the tree.
  const ignored = lines.filter((line) => line !== '' && !/^[#!]/.test(line)).map(pathPattern);
  const filesBelow = (below) =>
    readdirSync(join(folder, below), { withFileTypes: true }).flatMap((entry) => {
      const path = below === '' ? entry.name : `${below}/${entry.name}`;
      if (ignored.some((pattern) => pattern.test(path))) return [];
      return entry.isDirectory() ? filesBelow(path) : [path];
    });
  const files = filesBelow('').sort();
  const { findings, bytes } = await scanFiles(folder, files, allowed);
  return { findings, files: files.length, bytes };
}

/** A pattern of .dockerignore: `**` before a name is any folder, `*` is any part of a name. */
function pathPattern(line) {
  const name = line.replace(/^\*\*\//, '');
  const text = name.replaceAll(/[.+?^${}()|[\]\\]/g, '\\$&').replaceAll('*', '[^/]*');
  return new RegExp(`${name === line ? '^' : '(?:^|/)'}${text}(?:/|$)`);
}

async function scanFiles(folder, files, allowed) {
  const findings = files.filter(isSecretFile).map(secretFileSentence);
  const pairs = allowed.flatMap(({ text, files: where }) => where.map((file) => ({ text, file })));
  const used = new Set();
  const { bytes } = await eachText(folder, files, async (file, text) => {
    for (const secret of await findSecrets(text, { place: 'tree' })) {
      const isAllowed = pairs.some((pair) => pair.text === secret.text && [pair.file, allowedFile].includes(file));
      if (isAllowed) used.add(`${file} ${secret.text}`);
      else findings.push(secretSentence(file, secret));
    }
  });
  return { findings, bytes, used, pairs };
}

/**
 * Scans every file below the folders as a log.
 * @param {string[]} folders
 * @param {{known?: string[], since?: string}} options texts to look for; the time of the first entry, ISO 8601 in UTC
 */
export async function scanLogs(folders, { known = [], since = '' } = {}) {
  const values = new KnownValues(known);
  const result = { findings: [], files: 0, bytes: 0 };
  for (const folder of folders) {
    if (!existsSync(folder)) throw new Error(`${folder} does not exist`);
    const files = globSync('**/*', { cwd: folder }).filter((file) => statSync(join(folder, file)).isFile());
    const { bytes } = await eachText(folder, files, async (file, text) => {
      const secrets = await findSecrets(entriesSince(text, since), { place: 'logs', known: values });
      result.findings.push(...secrets.map((secret) => secretSentence(join(folder, file), secret)));
    });
    result.files += files.length;
    result.bytes += bytes;
  }
  return result;
}

/** Earlier entries are empty lines, so that the others keep their numbers. A line without a time stays. */
function entriesSince(text, since) {
  if (since === '') return text;
  return text
    .split('\n')
    .map((line) => ((/"time":"([^"]+)"/.exec(line)?.[1] ?? since) < since ? '' : line))
    .join('\n');
}

/** Pictures and other binary files are left out. */
async function eachText(folder, files, visit) {
  let bytes = 0;
  for (const file of files) {
    const content = readFileSync(join(folder, file));
    if (content.includes(0)) continue;
    bytes += content.length;
    await visit(file, content.toString('utf8'));
  }
  return { bytes };
}

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

async function scanOf({ image, base, published, known, since }, folders) {
  if (image !== undefined) {
    const { findings, read, binary, leftOut } = await scanImage(image, { base, published });
    const ofRead = `${read.layers} layers, ${read.files} files, ${megabytes(read.bytes)}`;
    const ofBinary = `of these ${binary.files} binary files, ${megabytes(binary.bytes)}`;
    const notRead = `not read ${leftOut.layers} layers and ${leftOut.files} published files, ${megabytes(leftOut.bytes)}`;
    return { findings, summary: `${relative('', image)}: ${ofRead}, ${ofBinary}, ${notRead}` };
  }
  const values = known ? JSON.parse(readFileSync(0, 'utf8')) : [];
  const { findings, files, bytes } =
    folders.length > 0 ? await scanLogs(folders, { known: values, since }) : await scanTree();
  const what = folders.length > 0 ? folders.map((folder) => relative('', folder) || '.').join(', ') : 'the tree';
  const ofKnown = known ? `, ${values.length} known values` : '';
  return { findings, summary: `${what}: ${files} files, ${megabytes(bytes)} of text${ofKnown}` };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      known: { type: 'boolean', default: false },
      since: { type: 'string', default: '' },
      image: { type: 'string' },
      base: { type: 'string' },
      published: { type: 'string' },
    },
  });
  const { findings, summary } = await scanOf(values, positionals);
  for (const finding of findings) console.error(finding);
  console.log(`${summary}, ${findings.length} secrets`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
