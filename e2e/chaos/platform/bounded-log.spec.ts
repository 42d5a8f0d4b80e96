import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { BoundedLog } from './bounded-log.js';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tradewind-log-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

it('keeps the latest output in two files of bounded size, also over a restart', () => {
  const file = join(folder, 'service.log');
  for (const line of ['one\n', 'two\n', 'three\n']) new BoundedLog(file, 8).write(Buffer.from(line));
  const log = new BoundedLog(file, 8);
  for (const line of ['four\n', 'five\n']) log.write(Buffer.from(line));
  expect(readdirSync(folder).sort()).toEqual(['service.log', 'service.log.1']);
  expect(readFileSync(`${file}.1`, 'utf8')).toBe('four\n');
  expect(readFileSync(file, 'utf8')).toBe('five\n');
});
