import { Global, Module } from '@nestjs/common';
import { ErrorPages } from '../login-pages/error-pages.js';
import { CurrentProvider } from './current-provider.js';
import { RefreshReuse } from './refresh-reuse.js';

@Global()
@Module({ providers: [CurrentProvider, RefreshReuse, ErrorPages], exports: [CurrentProvider] })
export class OidcModule {}
