import { Global, Module } from '@nestjs/common';
import { ErrorPages } from '../login-pages/error-pages.js';
import { CurrentProvider } from './current-provider.js';

@Global()
@Module({ providers: [CurrentProvider, ErrorPages], exports: [CurrentProvider] })
export class OidcModule {}
