// `npm run seed -- --companies N --persons N --deals N --contacts N`
import { parseArgs } from 'node:util';
import { countOf, exitCodes, runEntryPoint, UsageError, uuidsOf } from './command-line.js';
import { connectExclusively } from './database.js';
import { readSettings } from './settings.js';
import { seedTables } from './synthetic/seed-tables.js';

const usage = `Usage: npm run seed -- [--companies N] [--persons N] [--deals N] [--contacts N] [--seed N] [--owner-ids UUID,...]

Brings the data tables up to N synthetic rows each (ids above 1,000,000,000). The same numbers give the same data.
A run that was cut off continues where it stopped. The database is that of the local platform in DATA_DIR, unless
DATABASE_URL and DATABASE_SCHEMA name another.

Examples:
  npm run seed -- --companies 10000 --persons 20000
  DATA_DIR=.data-2 npm run seed -- --deals 500 --seed 7`;

await runEntryPoint(usage, async () => {
  const { values } = parseArgs({
    options: {
      companies: { type: 'string' },
      persons: { type: 'string' },
      deals: { type: 'string' },
      contacts: { type: 'string' },
      seed: { type: 'string' },
      'owner-ids': { type: 'string' },
      help: { type: 'boolean' },
    },
  });
  if (values.help) {
    console.log(usage);
    return exitCodes.done;
  }
  const rows = {
    company: countOf('companies', values.companies),
    person: countOf('persons', values.persons),
    deal: countOf('deals', values.deals),
    contact: countOf('contacts', values.contacts),
  };
  if (Object.values(rows).every((count) => count === 0))
    throw new UsageError('Nothing to do: name at least one number.');
  const seed = values.seed === undefined ? 1 : countOf('seed', values.seed);
  const ownerIds = uuidsOf('owner-ids', values['owner-ids']);
  const started = Date.now();
  const client = await connectExclusively(readSettings(process.env));
  try {
    const added = await seedTables(client, { rows, seed, ownerIds });
    const counts = `${added.company} companies, ${added.person} persons, ${added.deal} deals, ${added.contact} contacts`;
    console.log(`Added ${counts} in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
  } finally {
    await client.end();
  }
  return exitCodes.done;
});
