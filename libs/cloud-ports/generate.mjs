// Tables and views of the warehouse as Terraform reads them, so that it makes what the migration would. The services
// then need no right to change them.
import { writeGenerated } from '../../tools/workspace/generated-files.mjs';
import { tableMetadata, tableNames, views } from './src/warehouse.bigquery-schema.ts';

const folder = new URL('../../deploy/terraform/schemas/', import.meta.url);
const json = (value) => `${JSON.stringify(value, null, 2)}\n`;

const files = {};
const clustering = {};
for (const table of tableNames) {
  const { schema, clustering: by } = tableMetadata(table);
  files[new URL(`${table}.json`, folder).href] = json(schema.fields);
  clustering[table] = by.fields;
}
files[new URL('clustering.json', folder).href] = json(clustering);
// Terraform puts its own project and dataset in.
const queries = views({ projectId: '{project}', dataset: '{dataset}' }).map(({ name, query }) => [name, query]);
files[new URL('views.json', folder).href] = json(Object.fromEntries(queries));

await writeGenerated(files);
