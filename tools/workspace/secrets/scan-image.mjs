// Scans the images in an archive. It reads every file of every layer, also when a later layer deletes it, and the
// config, with environment, labels and history. Left out are the layers of the base image, and what is the same here:
// Node and packages as npm installed them, and programs as a build made them. At the installation of a package npm
// checks its sum, and `npm run check` scans the sources.
import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { root } from '../projects.mjs';
import { findSecrets } from './find-secrets.mjs';
import { isSecretFile, secretFileSentence, secretSentence } from './findings.mjs';
import { eachImage, tarEntries } from './image-archive.mjs';

/** Where the Dockerfiles put the programs of the app and the packages, in the folders of the tree. */
const appFolder = 'app/';
const packagesAndPrograms = /^(?:.*\/)?node_modules\/|^apps\/[^/]+\/dist\//;
const nodeFile = 'usr/local/bin/node';
/** Binary files are full of texts that only look like these. */
const kindsOfTexts = ['random text', 'e-mail address'];
/** Shorter ones are chance. */
const printableTexts = /[\t -~]{8,}/g;

/**
 * @param {string} file the archive
 * @param {object} options
 * @param {string} [options.base] archive of the base image, whose layers and config are left out
 * @param {string} [options.published] checkout in which `npm ci` and `npm run build` ran
 * @returns {Promise<ImageScan>}
 *
 * @typedef {object} ImageScan
 * @property {string[]} findings sentences for a person
 * @property {{layers: number, files: number, bytes: number}} read
 * @property {{files: number, bytes: number}} binary of those that were read
 * @property {{layers: number, files: number, bytes: number}} leftOut layers of the base, and published files
 */
export async function scanImage(file, { base, published = root } = {}) {
  const ofBase = base === undefined ? { layers: [], texts: new Set() } : await readBase(base);
  const scan = {
    findings: [],
    read: { layers: 0, files: 0, bytes: 0 },
    binary: { files: 0, bytes: 0 },
    leftOut: { layers: 0, files: 0, bytes: 0 },
  };
  await eachImage(file, async ({ config, descriptions, layers }) => {
    if (ofBase.layers.some((sum, index) => layers[index]?.sum !== sum)) {
      throw new Error(`${file} was not built on ${base}`);
    }
    const texts = [config, ...descriptions]
      .flatMap((part) => textsOf(part))
      .filter(({ text }) => !ofBase.texts.has(text));
    for (const { place, text } of texts) {
      // Nothing in a config is a test or a document, so the rules are those of logs.
      const secrets = await findSecrets(text, { place: 'logs' });
      scan.findings.push(...secrets.map((secret) => secretSentence(`config ${place}`, secret)));
    }
    for (const [index, { path }] of layers.entries()) {
      if (index < ofBase.layers.length) {
        scan.leftOut.layers += 1;
      } else {
        scan.read.layers += 1;
        await scanLayer(path, `layer ${index + 1}`, { published, scan });
      }
    }
  });
  return scan;
}

async function readBase(file) {
  const found = [];
  await eachImage(file, async ({ config, layers }) => {
    found.push({ layers: layers.map(({ sum }) => sum), texts: new Set(textsOf(config).map(({ text }) => text)) });
  });
  if (found.length !== 1) throw new Error(`${file} has ${found.length} images; a base is one`);
  return found[0];
}

/** Every text in a value of JSON. In an object its name belongs to it: the name may say that it is a secret. */
function textsOf(value, place = '') {
  if (typeof value !== 'object' || value === null) return [];
  return Object.entries(value).flatMap(([name, inner]) => {
    const at = place === '' ? name : `${place}.${name}`;
    if (typeof inner !== 'string') return textsOf(inner, at);
    return [{ place: at, text: Array.isArray(value) ? inner : `${name}: ${inner}` }];
  });
}

async function scanLayer(path, layer, { published, scan }) {
  const count = (where, content) => {
    where.files += 1;
    where.bytes += content.length;
  };
  for await (const entry of tarEntries(path)) {
    const { type, size } = entry.header;
    // Folders and links. Whatever else has content is read as a file.
    if (type !== 'file' && size === 0) {
      entry.resume();
      continue;
    }
    const name = posix.normalize(entry.header.name).replace(/^\//, '');
    const content = await buffer(entry);
    if (isPublished(name, content, published)) {
      count(scan.leftOut, content);
      continue;
    }
    count(scan.read, content);
    const place = `${layer} ${name}`;
    if (isSecretFile(name)) scan.findings.push(secretFileSentence(place));
    const isBinary = content.includes(0);
    if (isBinary) count(scan.binary, content);
    for (const secret of await findSecrets(isBinary ? textsIn(content) : content.toString('utf8'), { place: 'tree' })) {
      if (isBinary && kindsOfTexts.includes(secret.kind)) continue;
      scan.findings.push(secretSentence(place, secret));
    }
  }
}

const textsIn = (binary) => (binary.toString('latin1').match(printableTexts) ?? []).join('\n');

/** Whether npm installed this very file in the checkout, or a build made it. */
function isPublished(name, content, folder) {
  const path = name.startsWith(appFolder) ? name.slice(appFolder.length) : '';
  const here = packagesAndPrograms.test(path) ? [path] : [];
  if (name === nodeFile) here.push(...globSync('node_modules/node-*/bin/node', { cwd: folder }));
  return here
    .map((one) => join(folder, one))
    .some((one) => existsSync(one) && statSync(one).isFile() && readFileSync(one).equals(content));
}
