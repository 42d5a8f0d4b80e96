// Writes the tables of import fields into README.md from the one table in src/import/import-fields.ts.
import { writeGenerated, replacedBetween } from '../workspace/generated-files.mjs';
import { fileURLToPath } from 'node:url';
import { importFields, moneyFields, requiredColumns } from './src/import/import-fields.ts';

const readme = fileURLToPath(new URL('README.md', import.meta.url));
const titles = { company: 'companies', person: 'persons', deal: 'deals', contact: 'contacts' };

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
    case 'id':
      return 'positive whole number; required';
    case 'text':
      return 'text';
    case 'integer':
      return 'whole number';
    case 'date':
      return 'date `YYYY-MM-DD`';
    case 'timestamp':
      return 'ISO 8601 time, UTC unless it says otherwise';
    case 'boolean':
      return 'true, false, yes, no, 1 or 0';
    case 'uuid':
      return 'UUID';
    case 'ids':
      return 'list of ids';
    case 'texts':
      return 'list of texts';
    case 'identifiers':
      return 'list of `NAME=value`; in NDJSON `{name, value}`';
    case 'member':
      return value.members.map((member) => `\`${member}\``).join(', ');
    case 'money':
      return `Money: ${moneyFields.map((field) => `\`.${field}\``).join(', ')}; value and currency are required in it`;
    case 'industry':
      return 'industry: name, enum member or id; sets the sector';
    case 'country':
      return 'country: name, ISO code or id';
    case 'regions':
      return 'list of regions: names or ids';
    case 'headquarters':
      return 'display text such as `Dublin, Ireland`; with `country` also `Saint Paul, Minnesota`';
    case 'places':
      return 'list of cities, countries or regions: names or ids';
    case 'named':
      return `list of names or ids (${value.table})${value.isOpen ? '; new names are added' : ''}`;
  }
}
