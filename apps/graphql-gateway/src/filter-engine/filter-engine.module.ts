import { Module } from '@nestjs/common';
import { FilterEngineService } from './filter-engine.service.js';
import { RecordChangesStore } from './record-changes.store.js';

@Module({ providers: [RecordChangesStore, FilterEngineService], exports: [FilterEngineService] })
export class FilterEngineModule {}
