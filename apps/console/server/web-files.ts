// The files of the pages, read once: no address can name another file. Each is kept plain and compressed.
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join, relative, sep } from 'node:path';
import { constants, gzipSync } from 'node:zlib';

export interface WebFile {
  type: string;
  etag: string;
  plain: Buffer;
  compressed: Buffer;
  /** Its name has a hash of its content, so a browser may keep it for good. */
  isHashed: boolean;
}

const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
};

/** By their path in an address, such as `/assets/index-abc.js`. */
export function readWebFiles(folder: string): Map<string, WebFile> {
  const files = new Map<string, WebFile>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const type = types[extname(entry.name)];
    if (!entry.isFile() || type === undefined) continue;
    const file = join(entry.parentPath, entry.name);
    const path = `/${relative(folder, file).split(sep).join('/')}`;
    files.set(path, webFile(readFileSync(file), type, path.startsWith('/assets/')));
  }
  if (!files.has('/index.html')) throw new Error(`${folder} holds no index.html: run npm run build`);
  return files;
}

export function webFile(plain: Buffer, type: string, isHashed: boolean): WebFile {
  return {
    type,
    etag: `"${createHash('sha256').update(plain).digest('base64url').slice(0, 27)}"`,
    plain,
    compressed: gzipSync(plain, { level: constants.Z_BEST_COMPRESSION }),
    isHashed,
  };
}
