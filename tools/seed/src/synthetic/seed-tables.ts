// What `npm run seed` does: deterministic synthetic rows in all four tables, above the ids of imported ones.
import type pg from 'pg';
import { vacuumAnalyze } from '../database.js';
import type { Entity, Row } from '../data-tables.js';
import { fillLookUps } from '../look-ups.js';
import { startProgress } from '../progress.js';
import { syntheticCompany } from './companies.js';
import { syntheticContact } from './contacts.js';
import { syntheticDeal } from './deals.js';
import { syntheticIdBase } from './ids.js';
import { type Links, storedCompanies, storedPersons } from './links.js';
import { loadSynthetic } from './load.js';
import { syntheticPerson } from './persons.js';
import { restoreIndexes, suspendIndexes } from '../suspended-indexes.js';

export interface SeedOptions {
  /** Rows wanted of each entity; those there already are counted. */
  rows: Record<Entity, number>;
  /** Another number gives other data. */
  seed: number;
  /** Users (UUIDs) who own half of the contacts. */
  ownerIds: readonly string[];
}

const firstId = syntheticIdBase + 1;

/**
 * Brings every table up to the wanted number of synthetic rows. Deals and contacts are linked to synthetic companies
 * and persons when there are some, to imported ones otherwise. Returns the rows added.
 */
export async function seedTables(
  client: pg.Client,
  { rows, seed, ownerIds }: SeedOptions,
): Promise<Record<Entity, number>> {
  await fillLookUps(client);
  const added: Record<Entity, number> = { company: 0, person: 0, deal: 0, contact: 0 };
  const load = async (entity: Entity, rowAt: (place: number) => Row) => {
    const from = await syntheticCount(client, entity);
    const to = Math.max(from, rows[entity]);
    if (from === to) return;
    if (await isBulk(client, entity, to - from)) await suspendIndexes(client, entity);
    const bar = startProgress(entity, to);
    await loadSynthetic(client, entity, { from, to }, rowAt, (place) => bar?.update(place));
    bar?.stop();
    added[entity] = to - from;
  };
  await load('company', (place) => syntheticCompany(seed, place));
  await load('person', (place) => syntheticPerson(seed, place, firstId));
  const links = await linksOf(client, seed);
  await load('deal', (place) => syntheticDeal(seed, place, firstId, links));
  await load('contact', (place) => syntheticContact(seed, place, firstId, links, ownerIds));
  await restoreIndexes(client, (name) => process.stderr.write(`building ${name}\n`));
  await vacuumAnalyze(
    client,
    (Object.keys(added) as Entity[]).filter((entity) => added[entity] > 0),
  );
  return added;
}

/** Below this, keeping the indexes up costs less than building them again. */
const bulkRowsMin = 50_000;

/** Whether the load is so large, compared with what is there, that indexes are better built afterwards. */
async function isBulk(client: pg.Client, entity: Entity, rows: number): Promise<boolean> {
  if (rows < bulkRowsMin) return false;
  const { rows: found } = await client.query<{ count: string }>(
    `select count(*) from (select from ${entity} limit $1) as few`,
    [rows],
  );
  return Number(found[0]!.count) < rows;
}

/** Synthetic rows are added in the order of their ids, so the highest id gives their number. */
async function syntheticCount(client: pg.Client, entity: Entity): Promise<number> {
  const { rows } = await client.query<{ id: string | null }>(`select max(id) as id from ${entity} where id > $1`, [
    syntheticIdBase,
  ]);
  return rows[0]!.id === null ? 0 : Number(rows[0]!.id) - syntheticIdBase;
}

async function linksOf(client: pg.Client, seed: number): Promise<Links> {
  const companies = await syntheticCount(client, 'company');
  const persons = await syntheticCount(client, 'person');
  return {
    companies:
      companies > 0
        ? { count: companies, at: (place) => syntheticCompany(seed, place) }
        : await storedCompanies(client),
    persons:
      persons > 0
        ? { count: persons, at: (place) => syntheticPerson(seed, place, firstId) }
        : await storedPersons(client),
  };
}
