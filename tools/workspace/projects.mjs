// The projects of this repository, read from their project.json files.
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../', import.meta.url));

/** Folders that hold projects; the same as the root package.json's workspaces. */
export const projectFolders = ['apps/*', 'libs/*', 'tools/*', 'e2e', 'deploy'];

/** @returns {{name: string, folder: string, tags: string[]}[]} in the order of their folders */
export function projects() {
  return projectFolders
    .flatMap((pattern) => globSync(`${pattern}/project.json`, { cwd: root }))
    .sort()
    .map((file) => {
      const { name, tags = [] } = JSON.parse(readFileSync(join(root, file), 'utf8'));
      return { name, folder: dirname(file), tags };
    });
}

/** @param {{folder: string}} project */
export function manifestOf({ folder }) {
  return JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
}
