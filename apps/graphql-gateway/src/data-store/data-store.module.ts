import { Global, Module } from '@nestjs/common';
import { Clock } from '../clock.js';
import { Dictionaries } from '../dictionaries/dictionaries.service.js';
import { AppEvents } from '../events.js';
import { DataStore } from './data-store.js';

/** What every feature of the gateway stands on. */
@Global()
@Module({
  providers: [Clock, AppEvents, DataStore, Dictionaries],
  exports: [Clock, AppEvents, DataStore, Dictionaries],
})
export class DataStoreModule {}
