import { createHash } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ServiceName } from '../../src/service-names.js';

/** A placeholder for the text that is unique to each request, of the same length; `send` puts that in. */
export const marker = 'fzmark0000000000';

/** A request that a common client can send. */
export interface HttpRequest {
  kind: 'http';
  service: ServiceName;
  method: string;
  /** With the query, encoded. */
  path: string;
  headers: Record<string, string>;
  body?: string | Uint8Array;
}

/** Bytes that no client would send, one character each, and the pause before each part. */
export interface WireRequest {
  kind: 'wire';
  service: ServiceName;
  parts: { text: string; pauseMs: number }[];
}

export type FuzzRequest = HttpRequest | WireRequest;

/** Longer bodies, and bytes that a terminal does not show, go to a file. */
const shownCharacters = 2_000;

/** A command that repeats the request. */
export function asCommand(request: FuzzRequest, url: string): string {
  if (request.kind === 'wire') {
    const { hostname, port } = new URL(url);
    const parts = request.parts.map(({ text, pauseMs }) => {
      const print = `cat ${inFile(Buffer.from(text, 'latin1'))}`;
      return pauseMs > 0 ? `sleep ${pauseMs / 1000}; ${print}` : print;
    });
    return `(${parts.join('; ')}) | nc ${hostname} ${port}`;
  }
  const words = ['curl', '-i', '-X', request.method, '--path-as-is', addressWords(url + request.path)];
  for (const [name, value] of Object.entries(request.headers)) words.push('-H', quoted(`${name}: ${value}`));
  if (request.body === undefined) return words.join(' ');
  const { body } = request;
  const isShown = typeof body === 'string' && body.length <= shownCharacters && /^[\x20-\x7e]*$/.test(body);
  return [...words, '--data-binary', isShown ? quoted(body) : `@${inFile(Buffer.from(body))}`].join(' ');
}

function addressWords(address: string): string {
  return address.length > shownCharacters ? `-K ${inFile(Buffer.from(`url = "${address}"`))}` : quoted(address);
}

function inFile(bytes: Buffer): string {
  const name = createHash('sha256').update(bytes).digest('hex').slice(0, 12);
  const file = join(tmpdir(), `tradewind-fuzz-${name}.bin`);
  writeFileSync(file, bytes);
  return file;
}

function quoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}
