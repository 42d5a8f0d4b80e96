// Runs before the commands of package.json. npm puts the Node of the lock file first in PATH; before `npm ci` another
// one would run them, and fail with a stack trace at the first TypeScript file.
import { existsSync } from 'node:fs';

if (!existsSync(new URL('../../node_modules/.bin/node', import.meta.url))) {
  console.error('Nothing is installed yet. Run: npm ci');
  process.exit(1);
}
