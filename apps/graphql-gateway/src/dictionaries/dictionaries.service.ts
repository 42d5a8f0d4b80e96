// The look-up tables, kept in memory so that no query joins them. They are read before the first request, and read
// again within seconds after `data_version` says that one of them was written.
import { Injectable } from '@nestjs/common';
import { NameDictionary, UnknownNameError } from '@tradewind/filters';
import { BackgroundWork } from '@tradewind/service-kit';
import { GraphQLError } from 'graphql';
import { DataStore } from '../data-store/data-store.js';

const checkIntervalMs = 2000;

export interface Reference {
  id: string;
  name: string;
}

export interface CountryReference extends Reference {
  imageUrl: string | null;
  alpha1Code: string | null;
  alpha2Code: string;
  alpha3Code: string;
}

/** One reading of all look-up tables, by id. */
export interface Lookups {
  version: string;
  sectors: ReadonlyMap<string, Reference>;
  industries: ReadonlyMap<string, Reference>;
  countries: ReadonlyMap<string, CountryReference>;
  sports: ReadonlyMap<string, Reference>;
  skills: ReadonlyMap<string, string>;
  /** Names to ids for filters. */
  names: NameDictionary;
}

@Injectable()
export class Dictionaries {
  private lookups: Lookups | undefined;

  constructor(
    private readonly dataStore: DataStore,
    background: BackgroundWork,
  ) {
    background.every({ name: 'dictionaries', intervalMs: checkIntervalMs, run: () => this.refresh() });
  }

  /** The look-ups as last read. Waits until they are read for the first time. */
  async current(): Promise<Lookups> {
    if (!this.lookups) await this.refresh();
    return this.lookups!;
  }

  /**
   * Calls `work` with the look-ups. A name that they lack may have been added since they were read: then they are read
   * again, and `work` is called once more.
   */
  async apply<T>(work: (lookups: Lookups) => T): Promise<T> {
    const lookups = await this.current();
    try {
      return work(lookups);
    } catch (error) {
      if (!(error instanceof GraphQLError && error.originalError instanceof UnknownNameError)) throw error;
      await this.refresh();
      if (this.lookups === lookups) throw error;
      return work(this.lookups!);
    }
  }

  /** Reads the tables again if they were written since the last time. */
  async refresh(): Promise<void> {
    const [row] = await this.dataStore.query<{ version: string }>({
      text: `select version from data_version where entity = 'lookup'`,
      values: [],
    });
    const version = row?.version ?? '0';
    if (this.lookups?.version !== version) this.lookups = await this.read(version);
  }

  private async read(version: string): Promise<Lookups> {
    const references = (table: string) =>
      this.dataStore.query<Reference>({ text: `select id, name from ${table}`, values: [] });
    const [sectors, industries, sports, skills, languages, countries, cities] = await Promise.all([
      references('sector'),
      references('industry'),
      references('sport'),
      references('skill'),
      references('language'),
      this.dataStore.query<CountryReference>({
        text: `select id, name, image_url as "imageUrl", alpha1_code as "alpha1Code", alpha2_code as "alpha2Code",
                      alpha3_code as "alpha3Code" from country`,
        values: [],
      }),
      this.dataStore.query<Reference & { countryId: string }>({
        text: 'select id, name, country_id as "countryId" from city',
        values: [],
      }),
    ]);
    return {
      version,
      sectors: byId(sectors),
      industries: byId(industries),
      countries: byId(countries),
      sports: byId(sports),
      skills: new Map(skills.map(({ id, name }) => [id, name])),
      names: NameDictionary.of({ cities, skills, languages }),
    };
  }
}

function byId<T extends Reference>(rows: readonly T[]): ReadonlyMap<string, T> {
  return new Map(rows.map((row) => [row.id, row]));
}
