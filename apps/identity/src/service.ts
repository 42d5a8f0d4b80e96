import formbody from '@fastify/formbody';
import { defineService, migrateDatabase, openApi } from '@tradewind/service-kit';
import { AppConfig } from './app.config.js';
import { AppModule } from './app.module.js';
import { addCommands } from './commands.js';
import { migrations } from './migrations.js';
import { CurrentProvider } from './oidc/current-provider.js';
import { registerProviderRoutes } from './oidc/provider-routes.js';
import { assertContentType } from './content-types.js';

export const apiDescription = {
  title: 'Tradewind identity administration',
  description:
    'Users, OAuth clients, grants, signing keys and the audit log, for an ADMIN with an access token of the resource urn:tradewind:identity, or a service token for identity-admin.',
};

export const service = defineService({
  name: 'identity',
  config: AppConfig,
  module: AppModule,
  configure: async (app, config) => {
    const instance = app.getHttpAdapter().getInstance();
    // The login pages post forms.
    await instance.register(formbody, { bodyLimit: config.BODY_LIMIT_BYTES });
    instance.addHook('preParsing', assertContentType);
    await openApi(app, config, apiDescription);
    registerProviderRoutes(instance, config, () => app.get(CurrentProvider));
  },
  migrate: (config) => migrateDatabase(config, migrations),
  commands: addCommands,
});
