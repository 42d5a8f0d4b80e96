// Writes the tables of import fields into README.md from the one table in src/import/import-fields.ts.
import { writeGenerated, replacedBetween } from '../workspace/generated-files.mjs';
import { fileURLToPath } from 'node:url';
import { importFields, moneyFields, requiredColumns } from './src/import/import-fields.ts';

const readme = fileURLToPath(new URL('README.md', import.meta.url));
const titles = { company: 'companies', person: 'persons', deal: 'deals', contact: 'contacts' };

const words = {
  id: 'positive whole number; required',
  text: 'text',
  integer: 'whole number',
  date: 'date `YYYY-MM-DD`',
  timestamp: 'ISO 8601 time, UTC unless it says otherwise',
  boolean: 'true, false, yes, no, 1 or 0',
  uuid: 'UUID',
  ids: 'list of ids',
  texts: 'list of texts',
  identifiers: 'list of `NAME=value`; in NDJSON `{name, value}`',
  industry: 'industry: name, enum member or id; sets the sector',
  country: 'country: name, ISO code or id',
  regions: 'list of regions: names or ids',
  headquarters: 'display text such as `Dublin, Ireland`; with `country` also `Saint Paul, Minnesota`',
  places: 'list of cities, countries or regions: names or ids',
};

const sections = Object.entries(importFields).map(([entity, fields]) => {
  const rows = fields.map(
    ({ name, column, value }) =>
      `| \`${name}\` | ${describe(value)}${isRequired(entity, column) ? '; required of a new row' : ''} |`,
  );
  return [`### ${titles[entity]}`, '', '| field | value |', '| --- | --- |', ...rows].join('\n');
});

await writeGenerated({ [readme]: replacedBetween(readme, 'fields', sections.join('\n\n')) });

function isRequired(entity, column) {
  return requiredColumns[entity][column] === null;
}

function describe(value) {
  switch (value.kind) {
    case 'member':
      return value.members.map((member) => `\`${member}\``).join(', ');
    case 'money':
      return `Money: ${moneyFields.map((field) => `\`.${field}\``).join(', ')}; value and currency are required in it`;
    case 'named':
      return `list of names or ids (${value.table})${value.isOpen ? '; new names are added' : ''}`;
    default:
      return words[value.kind];
  }
}
