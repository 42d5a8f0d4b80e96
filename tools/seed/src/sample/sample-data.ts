// The sample data of the local platform: the real companies through the import, and synthetic persons, deals and
// contacts linked to them. Every part is written once, into empty tables, so that a second run changes nothing.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type pg from 'pg';
import { vacuumAnalyze } from '../database.js';
import type { Entity } from '../data-tables.js';
import { importFile } from '../import/import-file.js';
import { fillLookUps } from '../look-ups.js';
import { syntheticContact } from '../synthetic/contacts.js';
import { syntheticDeal } from '../synthetic/deals.js';
import { loadSynthetic } from '../synthetic/load.js';
import { syntheticPerson } from '../synthetic/persons.js';
import { storedCompanies, storedPersons } from '../synthetic/links.js';
import { sp500Records } from './sp500.js';

const sampleRows = { company: 503, person: 5_000, deal: 2_000, contact: 5_000 } as const;
export const sampleSeed = 1;

/**
 * Returns the rows written by this run. Half of the contacts get the owners, when there are some and none owns any yet.
 */
export async function writeSampleData(client: pg.Client, ownerIds: readonly string[]): Promise<Record<Entity, number>> {
  await fillLookUps(client);
  const written: Record<Entity, number> = { company: 0, person: 0, deal: 0, contact: 0 };
  if (await isEmpty(client, 'company')) written.company = await importCompanies(client);
  if (await isEmpty(client, 'person')) {
    await loadSynthetic(client, 'person', all('person'), (place) => syntheticPerson(sampleSeed, place, 1));
    written.person = sampleRows.person;
  }
  const links = { companies: await storedCompanies(client), persons: await storedPersons(client) };
  if (await isEmpty(client, 'deal')) {
    await loadSynthetic(client, 'deal', all('deal'), (place) => syntheticDeal(sampleSeed, place, 1, links));
    written.deal = sampleRows.deal;
  }
  if (await isEmpty(client, 'contact')) {
    await loadSynthetic(client, 'contact', all('contact'), (place) =>
      syntheticContact(sampleSeed, place, 1, links, ownerIds),
    );
    written.contact = sampleRows.contact;
  } else await assignOwners(client, ownerIds);
  await vacuumAnalyze(
    client,
    (['person', 'deal', 'contact'] as const).filter((entity) => written[entity] > 0),
  );
  return written;
}

function all(entity: Entity): { from: number; to: number } {
  return { from: 0, to: sampleRows[entity] };
}

async function isEmpty(client: pg.Client, entity: Entity): Promise<boolean> {
  const { rowCount } = await client.query(`select from ${entity} limit 1`);
  return rowCount === 0;
}

async function importCompanies(client: pg.Client): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'tradewind-sample-'));
  try {
    const path = join(folder, 'companies.ndjson');
    writeFileSync(
      path,
      sp500Records()
        .map((record) => `${JSON.stringify(record)}\n`)
        .join(''),
    );
    const result = await importFile(client, { entity: 'company', path, isQuiet: true });
    if (result.refused > 0) throw new Error(`${result.refused} of the sample companies were refused`);
    return result.inserted;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Users made after the data: they take every second contact that belongs to nobody. */
async function assignOwners(client: pg.Client, ownerIds: readonly string[]): Promise<void> {
  if (ownerIds.length === 0) return;
  const owned = await client.query('select from contact where owner_id = any($1::uuid[]) limit 1', [ownerIds]);
  if (owned.rowCount !== 0) return;
  await client.query(
    `update contact set owner_id = ($1::uuid[])[1 + (id / 2) % cardinality($1::uuid[])], is_shared = id % 5 <> 0
     where owner_id is null and id <= $2 and id % 2 = 0`,
    [ownerIds, sampleRows.contact],
  );
}
