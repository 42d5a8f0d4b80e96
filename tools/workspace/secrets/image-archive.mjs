// Reads the images in an archive, as `docker save`, `podman save` and `buildah push` write it: a docker-archive, or a
// tar of an OCI layout.
import {
  closeSync,
  createReadStream,
  createWriteStream,
  mkdtempSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createZstdDecompress } from 'node:zlib';
import tar from 'tar-stream';

/** By the bytes that a compressed file begins with. */
const decompressors = { '1f8b': createGunzip, '28b5': createZstdDecompress };

/**
 * Calls `visit` with each image. A layer is the path of a tar and the sum that the config gives it. Descriptions are
 * what else the archive says of the image, such as annotations.
 * @param {string} file
 * @param {(image: {config: object, descriptions: object[], layers: {path: string, sum: string}[]}) => Promise<void>} visit
 * @throws when the archive is damaged or lacks a part that it names
 */
export async function eachImage(file, visit) {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-image-'));
  try {
    for (const image of describedImages(file, await unpack(file, folder))) await visit(image);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The entries of a tar, which may be compressed. Each has to be read to its end or told to `resume`.
 * @returns {AsyncGenerator<import('tar-stream').Entry>}
 */
export async function* tarEntries(path) {
  const extract = tar.extract();
  const decompressor = decompressors[firstBytes(path)];
  const piped = pipeline(createReadStream(path), ...(decompressor ? [decompressor()] : []), extract);
  // A fault also reaches the reader of the entries, who may not come to the end.
  piped.catch(() => undefined);
  yield* extract;
  await piped;
}

function firstBytes(path) {
  const bytes = Buffer.alloc(2);
  const file = openSync(path);
  readSync(file, bytes);
  closeSync(file);
  return bytes.toString('hex');
}

/**
 * Writes the files of a tar to a folder, under numbers, so that no name leads out of it.
 * @returns {Promise<(name: string) => string | undefined>} where the file of a name is
 */
async function unpack(tarFile, folder) {
  const files = new Map();
  const links = new Map();
  for await (const entry of tarEntries(tarFile)) {
    const name = posix.normalize(entry.header.name);
    if (entry.header.type === 'file') {
      const path = join(folder, String(files.size));
      files.set(name, path);
      await pipeline(entry, createWriteStream(path));
    } else {
      // Layers that several images share are links.
      if (entry.header.type === 'symlink') links.set(name, posix.join(posix.dirname(name), entry.header.linkname));
      entry.resume();
    }
  }
  return (name) => files.get(name) ?? files.get(links.get(name));
}

function describedImages(file, find) {
  const pathOf = (name) => {
    const path = find(name);
    if (path === undefined) throw new Error(`${file} has no ${name}`);
    return path;
  };
  const json = (name) => JSON.parse(readFileSync(pathOf(name), 'utf8'));
  /** A part without a type is a layer, as all are in a docker-archive. */
  const image = (config, parts, descriptions) => {
    const sums = config.rootfs?.diff_ids ?? [];
    if (sums.length !== parts.length) throw new Error(`${file} has an image with other layers than its config says`);
    const isLayer = ({ type = '.tar' }) => type.includes('.tar');
    const layers = parts.map(({ name, type }, index) => ({ path: pathOf(name), sum: sums[index], type }));
    // What an engine says of its build is in JSON.
    const others = parts.filter((part) => !isLayer(part)).map(({ name }) => json(name));
    return { config, descriptions: [...descriptions, ...others], layers: layers.filter(isLayer) };
  };

  const blob = ({ digest }) => `blobs/${digest.replace(':', '/')}`;
  const ofIndex = (index, above) =>
    index.manifests.flatMap((descriptor) => {
      const manifest = json(blob(descriptor));
      const descriptions = [...above, manifest];
      if (manifest.manifests) return ofIndex(manifest, descriptions);
      const parts = manifest.layers.map((part) => ({ name: blob(part), type: part.mediaType }));
      return [image(json(blob(manifest.config)), parts, descriptions)];
    });

  // Docker writes both, of the same images.
  if (find('index.json')) return ofIndex(json('index.json'), [json('index.json')]);
  if (find('manifest.json')) {
    return json('manifest.json').map(({ Config, Layers }) =>
      image(
        json(Config),
        Layers.map((name) => ({ name })),
        [],
      ),
    );
  }
  throw new Error(`${file} is no archive of an image: it has neither index.json nor manifest.json`);
}
