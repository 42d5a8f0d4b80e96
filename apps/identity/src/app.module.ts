import { Module } from '@nestjs/common';
import { DatabaseModule } from '@tradewind/service-kit';
import { CleanupModule } from './cleanup/cleanup.module.js';
import { ClientsModule } from './clients/clients.module.js';
import { DirectLoginModule } from './direct-login/direct-login.module.js';
import { DiscoveryModule } from './discovery/discovery.module.js';
import { LoginPagesModule } from './login-pages/login-pages.module.js';
import { migrations } from './migrations.js';
import { OidcModule } from './oidc/oidc.module.js';
import { SigningKeysModule } from './signing-keys/signing-keys.module.js';
import { StorageModule } from './storage/storage.module.js';
import { PasswordLoginModule } from './throttle/password-login.module.js';
import { UsersModule } from './users/users.module.js';

@Module({
  imports: [
    DatabaseModule.forRoot({ migrations }),
    StorageModule,
    SigningKeysModule,
    OidcModule,
    PasswordLoginModule,
    LoginPagesModule,
    DirectLoginModule,
    DiscoveryModule,
    UsersModule,
    ClientsModule,
    CleanupModule,
  ],
})
export class AppModule {}
