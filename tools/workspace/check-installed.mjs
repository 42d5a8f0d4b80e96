// Runs before the commands of package.json. They run on the Node of the lock file, which npm puts first in PATH. Before
// `npm ci` another one would run them, and fail with a stack trace at the first TypeScript file.
import { existsSync } from 'node:fs';

const exists = (path) => existsSync(new URL(`../../node_modules/${path}`, import.meta.url));

// npm writes it last.
if (!exists('.package-lock.json')) {
  console.error('Nothing is installed yet, or only a part. Run: npm ci');
  process.exit(1);
}
if (!exists('.bin/node')) {
  const here = `${process.platform} ${process.arch}`;
  console.error(
    `There are no packages for ${here}, or npm left out optional ones. Linux and macOS on arm64, and Linux on x64 work.`,
  );
  process.exit(1);
}
