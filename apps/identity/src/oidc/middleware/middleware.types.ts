import type { Logger } from '@tradewind/service-kit';
import type { KoaContextWithOIDC } from 'oidc-provider';
import type Provider from 'oidc-provider';
import type { AppConfig } from '../../app.config.js';
import type { AuditLog } from '../../audit/audit-log.js';
import type { AttemptsStore } from '../../throttle/attempts.store.js';
import type { UnitOfWorkStore } from '../../unit-of-work/unit-of-work.store.js';
import type { AccessTokenAdapter } from '../payloads/access-token-adapter.js';
import type { PayloadsStore } from '../payloads/payloads.store.js';
import type { RefreshReuse } from './refresh-reuse.js';

export type Context = KoaContextWithOIDC;
export type Middleware = (ctx: Context, next: () => Promise<void>) => Promise<void>;

/** What the middleware is made of. */
export interface MiddlewareNeeds {
  config: AppConfig;
  provider: Provider;
  units: UnitOfWorkStore;
  payloads: PayloadsStore;
  accessTokens: AccessTokenAdapter;
  refreshReuse: RefreshReuse;
  attempts: AttemptsStore;
  audit: AuditLog;
  logger: Logger;
}
