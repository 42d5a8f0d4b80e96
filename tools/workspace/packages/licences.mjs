// The licences that packages may have. Each entry is a whole licence expression as a package writes it.
import { findEntry } from '../lock-optional.mjs';
import { foreignPackages, nameOf, shippedPackages } from './lock-file.mjs';

/** They ask for no more than to keep their text and notices, which the images do. */
const allowed = [
  ...['0BSD', 'Apache-2.0', 'BlueOak-1.0.0', 'BSD-2-Clause', 'BSD-3-Clause', 'CC0-1.0', 'ISC', 'MIT', 'MIT-0'],
  ...['PSF-2.0', 'Python-2.0', 'Unlicense', '(MIT AND BSD-3-Clause)', '(MIT OR CC0-1.0)', 'Apache-2.0 AND MIT'],
];
/** These also ask for something when they are passed on, or are vague, so no image may have them. */
const allowedForTools = ['CC-BY-4.0', 'MPL-2.0', '(MIT AND BSD)'];

/** Packages that name their licence in a text alone, read on 23 November 2026. */
const namedInTexts = {
  'node_modules/passport-strategy': 'MIT', // its LICENSE
  'node_modules/pause': 'MIT', // its Readme.md
};

/** The licence of a package; a package of another platform has that of the package it is a part of. */
function licenceOf(packages, path, { license }) {
  const named = license ?? namedInTexts[path];
  if (named !== undefined) return named;
  const name = nameOf(path);
  const parents = Object.entries(packages).filter(([, entry]) => entry.optionalDependencies?.[name]);
  const siblings = parents.flatMap(([parent, { optionalDependencies }]) =>
    Object.keys(optionalDependencies).map((sibling) => packages[findEntry(packages, parent, sibling)]?.license),
  );
  return siblings.find((one) => one !== undefined);
}

/** @returns {{path: string, licence: string | undefined, isShipped: boolean}[]} */
function licencesOf(packages) {
  const shipped = shippedPackages(packages);
  return foreignPackages(packages).map(([path, entry]) => ({
    path,
    licence: licenceOf(packages, path, entry),
    isShipped: shipped.has(path),
  }));
}

/** @returns {string[]} a sentence for each package whose licence is not allowed */
export function licenceFaults(packages) {
  return licencesOf(packages)
    .filter(({ licence, isShipped }) => !allowed.includes(licence) && (isShipped || !allowedForTools.includes(licence)))
    .map(({ path, licence, isShipped }) => {
      const where = isShipped ? 'which images contain' : 'which only development needs';
      return `${path}, ${where}, has the licence ${licence ?? 'unknown'}; allowed are those in licences.mjs`;
    });
}

/** The rows of docs/licences.md: packages of each licence, counted once by name. */
export function licenceTable(packages) {
  const found = licencesOf(packages);
  const licences = [...new Set(found.map(({ licence }) => licence))];
  const rows = licences.map((licence) => {
    const of = (isShipped) => [
      ...new Set(
        found.filter((one) => one.licence === licence && one.isShipped === isShipped).map(({ path }) => nameOf(path)),
      ),
    ];
    const [inImages, forTools] = [of(true), of(false).filter((name) => !of(true).includes(name))];
    return { licence, inImages, forTools, all: inImages.length + forTools.length };
  });
  rows.sort((one, other) => other.all - one.all || (one.licence < other.licence ? -1 : 1));
  const named = (names) =>
    names.length > 0 && names.length <= 5
      ? `: ${names
          .sort()
          .map((name) => `\`${name}\``)
          .join(', ')}`
      : '';
  return rows
    .map(
      ({ licence, inImages, forTools }) =>
        `| ${licence} | ${inImages.length}${named(inImages)} | ${forTools.length}${named(forTools)} |`,
    )
    .join('\n');
}
