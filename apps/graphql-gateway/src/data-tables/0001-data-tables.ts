// The tables of companies, persons, deals, contacts and their look-ups. README.md beside this file explains every
// column. libs/filters compiles SQL against these names and tools/seed fills them by COPY, so a rename is a change in
// three places. Needs PostgreSQL 17 or newer (collation pg_c_utf8) and a UTF-8 database.
import type { Migration } from '@tradewind/service-kit';

// The one definition of "the words of a text": NFKD, no combining marks, lower case, letters and ASCII digits only. The
// same in TypeScript is `normaliseText` of libs/filters. A test checks that both agree.
const textFunctions = `
create function search_normalise(value text) returns text language sql immutable parallel safe
return btrim(regexp_replace(
  translate(lower(regexp_replace(normalize(coalesce(value, ''), NFKD), '[\u0300-\u036f]', '', 'g') collate "pg_c_utf8"), 'ς', 'σ') collate "pg_c_utf8",
  '[^[:alnum:]]+', ' ', 'g'));

create function search_vector(value text) returns tsvector language sql immutable parallel safe
return array_to_tsvector(array_remove(string_to_array(search_normalise(value), ' '), ''));

create function search_vector(texts text[]) returns tsvector language sql immutable parallel safe
return search_vector(array_to_string(texts, ' '));

create function search_normalise(texts text[]) returns text[] language sql immutable parallel safe
return array(select search_normalise(text) from unnest(texts) as each(text));
`;

const lookups = `
create table sector (id bigint primary key check (id > 0), name text not null unique);
create table industry (id bigint primary key check (id > 0), name text not null unique, sector_id bigint not null references sector);

-- Regions, countries and cities share one id space, so that a list of location ids can hold any of them.
create table region (id bigint primary key check (id between 1 and 999), name text not null unique, parent_id bigint references region);
create table country (
  id bigint primary key check (id between 1000 and 9999),
  name text not null unique,
  image_url text,
  alpha1_code text,
  alpha2_code text not null unique,
  alpha3_code text not null unique
);
create table region_country (
  region_id bigint not null references region,
  country_id bigint not null references country,
  primary key (region_id, country_id)
);
create table city (id bigint primary key check (id >= 10000), name text not null, country_id bigint not null references country);

create table sport (id bigint primary key check (id > 0), name text not null unique);
create table category (id bigint primary key check (id > 0), name text not null unique);
create table language (id bigint primary key check (id > 0), name text not null unique);
create table skill (id bigint primary key check (id > 0), name text not null unique);
`;

const company = `
create table company (
  id bigint primary key check (id > 0),
  name text not null,
  image_url text,
  website_url text,
  description text,
  headquarters text,
  ticker text,
  exchange text,
  founded_year integer,
  last_funding_date date,
  is_public boolean,
  has_subsidiary boolean,
  parent_company_id bigint,
  number_of_employees bigint,
  industry_id bigint,
  sector_id bigint,
  country_id bigint,
  region_ids bigint[] not null default '{}',
  category_ids bigint[] not null default '{}',
  headquarters_location_ids bigint[] not null default '{}',
  location_ids bigint[] not null default '{}',
  top_market_region_ids bigint[] not null default '{}',
  office_region_ids bigint[] not null default '{}',
  revenue jsonb,
  market_cap jsonb,
  marketing_budget jsonb,
  funding_raised jsonb,
  revenue_amount bigint,
  name_normalised text not null generated always as (search_normalise(name)) stored,
  search tsvector not null generated always as
    (search_vector(name || ' ' || coalesce(ticker, '') || ' ' || coalesce(headquarters, '') || ' ' || coalesce(description, ''))) stored
);
create index company_industry_revenue on company (industry_id, revenue_amount);
create index company_industry_page on company (industry_id, id) include (revenue_amount, number_of_employees, country_id);
create index company_country_page on company (country_id, id) include (number_of_employees, revenue_amount);
create index company_revenue on company (revenue_amount);
create index company_employees on company (number_of_employees);
create index company_name_normalised on company (name_normalised);
create index company_regions on company using gin (region_ids) with (fastupdate = off);
create index company_headquarters on company using gin (headquarters_location_ids) with (fastupdate = off);
create index company_locations on company using gin (location_ids) with (fastupdate = off);
create index company_top_markets on company using gin (top_market_region_ids) with (fastupdate = off);
create index company_offices on company using gin (office_region_ids) with (fastupdate = off);
create index company_search on company using gin (search) with (fastupdate = off);
alter table company alter column industry_id set statistics 1000;
`;

const person = `
create table person (
  id bigint primary key check (id > 0),
  first_name text,
  last_name text,
  name text not null,
  role text,
  gender text check (gender in ('MALE', 'FEMALE', 'OTHER')),
  birth_date date,
  country_id bigint,
  region_ids bigint[] not null default '{}',
  location_ids bigint[] not null default '{}',
  skill_ids bigint[] not null default '{}',
  category_ids bigint[] not null default '{}',
  language_ids bigint[] not null default '{}',
  education_level text,
  identifiers jsonb not null default '[]',
  gross_salary jsonb,
  gross_salary_lower_range jsonb,
  gross_salary_upper_range jsonb,
  net_salary jsonb,
  gross_salary_amount bigint,
  net_salary_amount bigint,
  name_normalised text not null generated always as (search_normalise(name)) stored,
  role_normalised text generated always as (case when role is null then null else search_normalise(role) end) stored,
  name_search tsvector not null generated always as (search_vector(name)) stored,
  identity_search tsvector not null generated always as (search_vector(name || ' ' || coalesce(role, ''))) stored
);
create index person_country_page on person (country_id, id);
create index person_birth_date on person (birth_date);
create index person_gross_salary on person (gross_salary_amount);
create index person_net_salary on person (net_salary_amount);
create index person_education on person (education_level, gender, birth_date);
create index person_name_normalised on person (name_normalised);
create index person_role_normalised on person (role_normalised);
create index person_regions on person using gin (region_ids) with (fastupdate = off);
create index person_locations on person using gin (location_ids) with (fastupdate = off);
create index person_skills on person using gin (skill_ids) with (fastupdate = off);
create index person_languages on person using gin (language_ids) with (fastupdate = off);
create index person_name_search on person using gin (name_search) with (fastupdate = off);
create index person_identity_search on person using gin (identity_search) with (fastupdate = off);
`;

const deal = `
create table deal (
  id bigint primary key check (id > 0),
  title text not null,
  description text,
  type text check (type in ('SPONSORSHIP', 'MEDIA', 'FULL_DEAL', 'RELATIONSHIP')),
  sponsor_type text,
  announced_date date,
  announced_date_source text,
  start_date date,
  start_date_source text,
  end_date date,
  is_estimate boolean,
  is_exclusive boolean,
  renewal_option text check (renewal_option in ('NEW', 'CONFIRMED', 'RENEWAL')),
  total_digital_impressions bigint,
  annual_value jsonb,
  total_value jsonb,
  annual_value_amount bigint,
  total_value_amount bigint,
  buyer_company_ids bigint[] not null default '{}',
  buyer_company_names text[] not null default '{}',
  seller_company_ids bigint[] not null default '{}',
  seller_company_names text[] not null default '{}',
  seller_person_ids bigint[] not null default '{}',
  sponsored_person_ids bigint[] not null default '{}',
  sponsored_person_names text[] not null default '{}',
  sport_ids bigint[] not null default '{}',
  buyer_category_ids bigint[] not null default '{}',
  buyer_region_ids bigint[] not null default '{}',
  buyer_parent_company_ids bigint[] not null default '{}',
  buyer_industry_ids bigint[] not null default '{}',
  buyer_revenue_amount bigint,
  seller_category_ids bigint[] not null default '{}',
  seller_region_ids bigint[] not null default '{}',
  seller_parent_company_ids bigint[] not null default '{}',
  seller_industry_ids bigint[] not null default '{}',
  deal_length integer generated always as (end_date - start_date) stored,
  title_normalised text not null generated always as (search_normalise(title)) stored,
  title_search tsvector not null generated always as (search_vector(title)) stored,
  buyer_names_normalised text[] not null generated always as (search_normalise(buyer_company_names)) stored,
  buyer_search tsvector not null generated always as (search_vector(buyer_company_names)) stored,
  seller_names_normalised text[] not null generated always as (search_normalise(seller_company_names)) stored,
  seller_search tsvector not null generated always as (search_vector(seller_company_names)) stored
);
-- One index per sorter, in the order the sorter asks for (nulls last, ties by id). Ascending order needs its own index
-- because "nulls last" read backwards is "nulls first".
create index deal_announced_desc on deal (announced_date desc nulls last, id);
create index deal_announced_asc on deal (announced_date asc nulls last, id);
create index deal_start_desc on deal (start_date desc nulls last, id);
create index deal_start_asc on deal (start_date asc nulls last, id);
create index deal_end_desc on deal (end_date desc nulls last, id);
create index deal_end_asc on deal (end_date asc nulls last, id);
create index deal_annual_desc on deal (annual_value_amount desc nulls last, id);
create index deal_annual_asc on deal (annual_value_amount asc nulls last, id);
create index deal_total_desc on deal (total_value_amount desc nulls last, id);
create index deal_total_asc on deal (total_value_amount asc nulls last, id);
create index deal_title_asc on deal (title, id);
create index deal_title_desc on deal (title desc, id);
create index deal_type_annual on deal (type, annual_value_amount);
create index deal_length on deal (deal_length);
create index deal_title_normalised on deal (title_normalised);
create index deal_buyer_revenue on deal (buyer_revenue_amount);
create index deal_buyers on deal using gin (buyer_company_ids) with (fastupdate = off);
create index deal_sellers on deal using gin (seller_company_ids) with (fastupdate = off);
create index deal_seller_persons on deal using gin (seller_person_ids) with (fastupdate = off);
create index deal_sports on deal using gin (sport_ids) with (fastupdate = off);
create index deal_buyer_industries on deal using gin (buyer_industry_ids) with (fastupdate = off);
create index deal_seller_industries on deal using gin (seller_industry_ids) with (fastupdate = off);
create index deal_title_search on deal using gin (title_search) with (fastupdate = off);
create index deal_buyer_search on deal using gin (buyer_search) with (fastupdate = off);
create index deal_seller_search on deal using gin (seller_search) with (fastupdate = off);
`;

const contact = `
create table contact (
  id bigint primary key check (id > 0),
  owner_id uuid,
  is_shared boolean not null default true,
  user_id bigint,
  name text not null,
  first_name text,
  last_name text,
  email text,
  emails text[] not null default '{}',
  company_id bigint,
  company_name text,
  person_id bigint,
  person_name text,
  person_birth_date date,
  person_gross_salary_amount bigint,
  opportunity_ids bigint[] not null default '{}',
  collection_ids bigint[] not null default '{}',
  import_id bigint,
  matching_status text check (matching_status in ('MATCHED', 'UNMATCHED', 'PENDING')),
  sync_source_type text check (sync_source_type in ('CRM', 'EMAIL', 'CALENDAR', 'IMPORT')),
  sync_source_name text check (sync_source_name in ('CSV', 'SALESFORCE', 'HUBSPOT', 'GOOGLE', 'OUTLOOK')),
  has_sync_issues boolean not null default false,
  is_contact boolean not null default true,
  is_crm boolean not null default false,
  is_deleted boolean not null default false,
  is_blacklisted boolean not null default false,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  search tsvector not null generated always as
    (search_vector(array[name, email, company_name, person_name] || emails)) stored
);
create index contact_owner on contact (owner_id, id);
create index contact_user on contact (user_id, id);
create index contact_company on contact (company_id, id);
create index contact_person on contact (person_id, id);
create index contact_import on contact (import_id, id);
create index contact_email on contact (lower(email));
create index contact_emails on contact using gin (emails) with (fastupdate = off);
create index contact_opportunities on contact using gin (opportunity_ids) with (fastupdate = off);
create index contact_collections on contact using gin (collection_ids) with (fastupdate = off);
create index contact_search on contact using gin (search) with (fastupdate = off);
create index contact_created_asc on contact (created_at, id);
create index contact_created_desc on contact (created_at desc, id);
create index contact_updated_asc on contact (updated_at, id);
create index contact_updated_desc on contact (updated_at desc, id);
create index contact_name_asc on contact (name, id);
create index contact_name_desc on contact (name desc, id);
create index contact_email_asc on contact (email asc nulls last, id);
create index contact_email_desc on contact (email desc nulls last, id);
create index contact_person_name_asc on contact (person_name asc nulls last, id);
create index contact_person_name_desc on contact (person_name desc nulls last, id);
create index contact_person_salary_asc on contact (person_gross_salary_amount asc nulls last, id);
create index contact_person_salary_desc on contact (person_gross_salary_amount desc nulls last, id);
create index contact_person_birth_asc on contact (person_birth_date asc nulls last, id);
create index contact_person_birth_desc on contact (person_birth_date desc nulls last, id);
`;

// A count is cached under the version that it was counted at. Every statement that writes a table raises its version
// inside the same transaction. So a snapshot that sees the rows sees the version, and the other way round.
const versions = `
create table data_version (entity text primary key, version bigint not null default 1);
insert into data_version (entity) values ('company'), ('person'), ('deal'), ('contact'), ('lookup');

create function raise_data_version() returns trigger language plpgsql set search_path from current as $$
begin
  update data_version set version = version + 1 where entity = tg_argv[0];
  return null;
end $$;
${['company', 'person', 'deal', 'contact'].map((table) => versionTrigger(table, table)).join('\n')}
${['sector', 'industry', 'region', 'country', 'region_country', 'city', 'sport', 'category', 'language', 'skill']
  .map((table) => versionTrigger(table, 'lookup'))
  .join('\n')}
`;

function versionTrigger(table: string, entity: string): string {
  return `create trigger ${table}_version after insert or update or delete or truncate on ${table} for each statement execute function raise_data_version('${entity}');`;
}

export const dataTables: Migration = {
  name: '0001-data-tables',
  up: [textFunctions, lookups, company, person, deal, contact, versions].join('\n'),
};
