import { Module } from '@nestjs/common';
import { CompanyChangesStore } from './company-changes.store.js';
import { FilterIndexService } from './filter-index.service.js';

@Module({ providers: [CompanyChangesStore, FilterIndexService], exports: [FilterIndexService] })
export class FilterIndexModule {}
