// The four connections of /graphql.
import { Module } from '@nestjs/common';
import { ConnectionsService } from '../connections/connections.service.js';
import { DictionariesModule } from '../dictionaries/dictionaries.module.js';
import { FilterEngineModule } from '../filter-engine/filter-engine.module.js';
import { CompaniesResolver } from './companies/companies.resolver.js';
import { ContactsResolver } from './contacts/contacts.resolver.js';
import { DealsResolver } from './deals/deals.resolver.js';
import { PersonsResolver } from './persons/persons.resolver.js';

/** One for each connection field. */
export const recordResolvers = [CompaniesResolver, PersonsResolver, DealsResolver, ContactsResolver];

@Module({
  imports: [DictionariesModule, FilterEngineModule],
  providers: [ConnectionsService, ...recordResolvers],
  exports: [ConnectionsService, ...recordResolvers],
})
export class RecordsModule {}
