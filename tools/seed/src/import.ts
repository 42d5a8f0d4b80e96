// `npm run import -- companies FILE.csv`
import { parseArgs } from 'node:util';
import { exitCodes, runEntryPoint, UsageError } from './command-line.js';
import { connectExclusively } from './database.js';
import type { Entity } from './data-tables.js';
import { importFile } from './import/import-file.js';
import { readSettings } from './settings.js';

const usage = `Usage: npm run import -- companies|persons|deals|contacts FILE.csv|FILE.ndjson [--report PATH]

Inserts new rows and updates those whose id exists. Refused rows are listed with line and reasons in the report
(default: FILE.refused.csv). Run an interrupted import again: it does not write rows that are already as the file says.
Exit codes: 0 all rows taken, 3 some rows refused, 1 failed, 2 wrong arguments.

Examples:
  npm run import -- companies companies.csv
  npm run import -- contacts contacts.ndjson --report refused.csv`;

const entityNames: Readonly<Record<string, Entity>> = {
  companies: 'company',
  persons: 'person',
  deals: 'deal',
  contacts: 'contact',
};

await runEntryPoint(usage, async () => {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { report: { type: 'string' }, help: { type: 'boolean' } },
  });
  if (values.help) {
    console.log(usage);
    return exitCodes.done;
  }
  const [name, path, ...more] = positionals;
  const entity = Object.hasOwn(entityNames, name ?? '') ? entityNames[name!] : undefined;
  if (!entity)
    throw new UsageError(
      `Name what the file holds: companies, persons, deals or contacts${name ? `, not "${name}"` : ''}.`,
    );
  if (!path || more.length > 0) throw new UsageError('Name one file.');
  const started = Date.now();
  const client = await connectExclusively(readSettings(process.env));
  try {
    const result = await importFile(client, { entity, path, reportPath: values.report });
    const seconds = ((Date.now() - started) / 1000).toFixed(1);
    console.log(
      `${result.records} records in ${seconds} s: ${result.inserted} new, ${result.updated} updated, ${result.unchanged} unchanged, ${result.refused} refused.`,
    );
    if (result.reportPath === undefined) return exitCodes.done;
    console.log(`Refused rows and reasons: ${result.reportPath}`);
    return exitCodes.rowsRefused;
  } finally {
    await client.end();
  }
});
