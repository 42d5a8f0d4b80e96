// Part of `npm run check`: where the packages of the lock file come from, and their licences.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from '../projects.mjs';
import { licenceFaults } from './licences.mjs';
import { foreignPackages, lockedPackages } from './lock-file.mjs';
import { npmrcFaults, sourceFaults } from './package-sources.mjs';

const packages = lockedPackages();
const faults = [
  ...sourceFaults(packages),
  ...npmrcFaults(readFileSync(join(root, '.npmrc'), 'utf8')),
  ...licenceFaults(packages),
];
for (const fault of faults) console.error(fault);
console.log(`${foreignPackages(packages).length} packages, ${faults.length} faults`);
process.exitCode = faults.length > 0 ? 1 : 0;
