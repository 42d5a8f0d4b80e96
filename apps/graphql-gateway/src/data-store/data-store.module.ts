import { Global, Module } from '@nestjs/common';
import { Clock } from '../clock.js';
import { AppEvents } from '../events.js';
import { DataStore } from './data-store.js';

/** What every feature of the gateway needs. */
@Global()
@Module({
  providers: [Clock, AppEvents, DataStore],
  exports: [Clock, AppEvents, DataStore],
})
export class DataStoreModule {}
