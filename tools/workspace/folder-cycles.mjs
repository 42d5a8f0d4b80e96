// Folders of one project import in one direction: a reader who goes from one to another never comes back.
// Files directly in `src` belong to no folder: they put the folders together, or are read by all of them.

const inFolder = /^(.+?)\/src\/([^/]+)\/.+$/;

/**
 * @param {{source: string, dependencies: {resolved: string}[]}[]} modules of dependency-cruiser, types included
 * @param {RegExp} ignored files that are not shipped
 * @returns {string[]} a sentence for each group of folders that import each other, directly or through others
 */
export function folderCycles(modules, ignored) {
  const projects = new Map();
  for (const { source, dependencies } of modules) {
    const [, project, folder] = inFolder.exec(source) ?? [];
    if (!project || ignored.test(source)) continue;
    for (const { resolved } of dependencies) {
      const [, otherProject, other] = inFolder.exec(resolved) ?? [];
      if (otherProject !== project || other === folder || ignored.test(resolved)) continue;
      const imports = getOrMake(projects, project, () => new Map());
      getOrMake(
        getOrMake(imports, folder, () => new Map()),
        other,
        () => `${source} imports ${resolved}`,
      );
    }
  }
  return [...projects].flatMap(([project, imports]) =>
    groups(imports).map((folders) => {
      const examples = folders.flatMap((from) =>
        [...(imports.get(from) ?? [])].filter(([to]) => folders.includes(to)).map(([, example]) => `\n    ${example}`),
      );
      return `${project}: the folders ${folders.join(', ')} import each other:${examples.join('')}`;
    }),
  );
}

/** Folders that reach each other, in groups; a folder alone is none. */
function groups(imports) {
  const reached = new Map([...imports.keys()].map((folder) => [folder, reachedFrom(folder, imports)]));
  const found = [];
  for (const folder of [...imports.keys()].sort()) {
    if (found.some((group) => group.includes(folder))) continue;
    const group = [...imports.keys()].filter(
      (other) => reached.get(folder).has(other) && reached.get(other).has(folder),
    );
    if (group.length > 1) found.push(group.sort());
  }
  return found;
}

function reachedFrom(start, imports) {
  const reached = new Set();
  const waiting = [start];
  while (waiting.length > 0) {
    for (const next of imports.get(waiting.pop())?.keys() ?? []) {
      if (reached.has(next)) continue;
      reached.add(next);
      waiting.push(next);
    }
  }
  return reached;
}

function getOrMake(map, key, make) {
  if (!map.has(key)) map.set(key, make());
  return map.get(key);
}
