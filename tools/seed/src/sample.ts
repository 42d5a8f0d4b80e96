// Called by the local platform: fills empty data tables and the embedded warehouse with sample data.
import { parseArgs } from 'node:util';
import { exitCodes, runEntryPoint, uuidsOf } from './command-line.js';
import { connectExclusively } from './database.js';
import { writePriorityPeople } from './sample/priority-people.js';
import { sampleSeed, writeSampleData } from './sample/sample-data.js';
import { readSettings } from './settings.js';

const usage = `Usage: node sample.js [--owner-ids UUID,...]

Fills empty data tables with the sample data and the embedded warehouse with priority people; a second run changes nothing.
--owner-ids: users who own half of the sample contacts. WAREHOUSE_DATABASE_URL is DATABASE_URL unless set.`;

await runEntryPoint(usage, async () => {
  const { values } = parseArgs({ options: { 'owner-ids': { type: 'string' }, help: { type: 'boolean' } } });
  if (values.help) {
    console.log(usage);
    return exitCodes.done;
  }
  const ownerIds = uuidsOf('owner-ids', values['owner-ids']);
  const settings = readSettings(process.env);
  const client = await connectExclusively(settings);
  try {
    const written = await writeSampleData(client, ownerIds);
    const people = await writePriorityPeople(settings.warehouseDatabaseUrl, sampleSeed);
    console.log(
      `Sample data: ${written.company} companies, ${written.person} persons, ${written.deal} deals and ${written.contact} contacts added; ` +
        `${people} priority people in the warehouse.`,
    );
  } finally {
    await client.end();
  }
  return exitCodes.done;
});
