import { Module } from '@nestjs/common';
import { Dictionaries } from './dictionaries.service.js';

@Module({ providers: [Dictionaries], exports: [Dictionaries] })
export class DictionariesModule {}
