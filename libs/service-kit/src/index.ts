export * from './background-work.js';
export * from './collect-start-up-garbage.js';
export * from './command-examples.js';
export * from './config/base-settings.js';
export * from './config/config-class.js';
export * from './constant-time-equal.js';
export * from './database/database-failure.js';
export * from './database/database-settings.js';
export * from './database/database.module.js';
export * from './database/db.js';
export * from './database/migrate.js';
export * from './database/open-db.js';
export * from './database/watched-client.js';
export * from './define-service.js';
export * from './events.js';
export * from './fetch-json.js';
export * from './group-commit.js';
export * from './http/client-network.js';
export * from './http/error-filter.js';
export * from './http/list-position.js';
export * from './http/days.js';
export * from './http/paging.js';
export * from './http/request-bodies.js';
export * from './http/validation-pipe.js';
export * from './json-depth.js';
export { errorText } from './logged-error.js';
export * from './logger.js';
export * from './mask-secrets.js';
export * from './metrics.js';
export * from './operator-error.js';
export { commonLinks, pageOfLinks, type FrontPage, type PageLink } from './pages/front-page.js';
export { Markup, markup } from './pages/markup.js';
export { brand, page, type PageParts } from './pages/page.js';
export * from './pages/page-headers.js';
export * from './pages/page-language.js';
export { pageColours, pageStyles } from './pages/page-styles.js';
export { sendPage } from './pages/send-page.js';
export { addVary, wantsPage } from './pages/wants-page.js';
export * from './readiness.js';
export * from './retention.js';
export * from './run-service.js';
export * from './service-name.js';
export * from './start-service.js';
export * from './storable-json.js';
export { assertAdministers, isAdministrator, userOf } from './callers/administration-rule.js';
export {
  CallerAuth,
  presentedToken,
  unauthenticated,
  type CallerIdentity,
  type CallerRules,
  type UserTokens,
} from './callers/caller-auth.js';
export * from './callers/caller-settings.js';
export * from './callers/callers.js';
export * from './callers/company-rule.js';
export * from './callers/issuer-keys.js';
export * from './callers/issuer-tokens.js';
export * from './callers/live-tokens.js';
export * from './callers/service-token-guard.js';
export * from './callers/service-tokens.js';
export * from './callers/spend-rule.js';
export * from './open-api.js';
export * from './telemetry/trace-context.js';
export * from './text-table.js';
export * from './within-ms.js';
// The kinds of settings, for the AppConfig of an app. Libraries below the kit make theirs of the same ones.
export {
  bool,
  choice,
  httpsOnly,
  integer,
  list,
  number,
  origins,
  secret,
  secretUrl,
  str,
  trustedProxies,
  url,
  type SafetyRule,
  type Setting,
  type SettingOptions,
  type ValueOf,
} from '@tradewind/shared-types';
