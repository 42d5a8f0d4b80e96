// Columns that deals and contacts copy from companies and persons, so that reads need no joins. They are filled when a
// deal or contact comes in, and brought up to date when a company or person changes.
import type pg from 'pg';
import type { Entity } from '../data-tables.js';

/** Which columns follow from which, by the column that decides. */
export const copiedColumns: Record<Entity, Readonly<Record<string, readonly string[]>>> = {
  company: {},
  person: {},
  deal: {
    buyer_company_ids: [
      'names',
      'category_ids',
      'region_ids',
      'parent_company_ids',
      'industry_ids',
      'revenue_amount',
    ].map((name) => (name === 'names' ? 'buyer_company_names' : `buyer_${name}`)),
    seller_company_ids: ['names', 'category_ids', 'region_ids', 'parent_company_ids', 'industry_ids'].map((name) =>
      name === 'names' ? 'seller_company_names' : `seller_${name}`,
    ),
    sponsored_person_ids: ['sponsored_person_names'],
  },
  contact: {
    company_id: ['company_name'],
    person_id: ['person_name', 'person_birth_date', 'person_gross_salary_amount'],
  },
};

/** Fills the copied columns of staged rows, before they are merged. */
export async function fillCopiedColumns(client: pg.Client, entity: Entity, staging: string): Promise<void> {
  if (entity === 'deal') {
    await client.query(`update ${staging} staged set ${dealAssignments}
      from ${staging} source cross join lateral (${dealCopies('source')}) copies where staged.line = source.line`);
  }
  if (entity === 'contact') {
    await client.query(
      `update ${staging} staged set company_name = company.name from company where company.id = staged.company_id`,
    );
    await client.query(`update ${staging} staged set person_name = person.name, person_birth_date = person.birth_date,
      person_gross_salary_amount = person.gross_salary_amount from person where person.id = staged.person_id`);
  }
}

/** After rows with these ids changed: brings the copies in deals and contacts up to date where they differ. */
export async function refreshCopies(client: pg.Client, entity: Entity, ids: readonly string[]): Promise<void> {
  if (ids.length === 0) return;
  if (entity === 'company') {
    await refreshDeals(client, 'buyer_company_ids && $1::bigint[] or seller_company_ids && $1::bigint[]', ids);
    await client.query(
      `update contact set company_name = company.name from company
       where company.id = any($1::bigint[]) and contact.company_id = company.id and contact.company_name is distinct from company.name`,
      [ids],
    );
  }
  if (entity === 'person') {
    await refreshDeals(client, 'sponsored_person_ids && $1::bigint[]', ids);
    await client.query(
      `update contact set person_name = person.name, person_birth_date = person.birth_date, person_gross_salary_amount = person.gross_salary_amount
       from person where person.id = any($1::bigint[]) and contact.person_id = person.id
       and (contact.person_name, contact.person_birth_date, contact.person_gross_salary_amount)
         is distinct from (person.name, person.birth_date, person.gross_salary_amount)`,
      [ids],
    );
  }
}

async function refreshDeals(client: pg.Client, condition: string, ids: readonly string[]): Promise<void> {
  const columns = Object.values(copiedColumns.deal).flat();
  await client.query(
    `update deal set ${dealAssignments}
     from deal source cross join lateral (${dealCopies('source')}) copies
     where deal.id = source.id and source.id in (select id from deal where ${condition})
     and (${columns.map((name) => `deal.${name}`).join(', ')}) is distinct from (${columns.map((name) => `copies.${name}`).join(', ')})`,
    [ids],
  );
}

const dealAssignments = Object.values(copiedColumns.deal)
  .flat()
  .map((name) => `${name} = copies.${name}`)
  .join(', ');

/**
 * A query for the copied columns of the deal row `source`. Names keep the order of the ids; the other lists are unions.
 */
function dealCopies(source: string): string {
  const side = (name: 'buyer' | 'seller') => {
    const ids = `${source}.${name}_company_ids`;
    const union = (column: string) =>
      `array(select distinct each from company, unnest(company.${column}) as each where company.id = any(${ids}) order by each)`;
    const values = (column: string) =>
      `array(select distinct company.${column} from company where company.id = any(${ids}) and company.${column} is not null order by 1)`;
    return `${namesOf('company', ids)} as ${name}_company_names,
      ${union('category_ids')} as ${name}_category_ids,
      ${union('region_ids')} as ${name}_region_ids,
      ${values('parent_company_id')} as ${name}_parent_company_ids,
      ${values('industry_id')} as ${name}_industry_ids`;
  };
  return `select ${side('buyer')}, ${side('seller')},
    (select max(company.revenue_amount) from company where company.id = any(${source}.buyer_company_ids)) as buyer_revenue_amount,
    ${namesOf('person', `${source}.sponsored_person_ids`)} as sponsored_person_names`;
}

function namesOf(table: 'company' | 'person', ids: string): string {
  return `array(select named.name from unnest(${ids}) with ordinality as each(id, place) join ${table} named on named.id = each.id order by each.place)`;
}
