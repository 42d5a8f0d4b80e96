// Who may call the pipeline services, and what their credentials are checked against.
import { choice, httpsOnly, platformResource, str, url, type Setting } from '@tradewind/shared-types';
import { serviceTokenSettings, type ServiceTokenConfig } from './service-tokens.js';

export const callerAuthSettings = {
  CALLER_AUTH: choice(['required', 'none'], {
    desc: 'Whether callers must authenticate; none exists for dev alone',
    default: 'required',
    deployedRule: (value) => (value === 'none' ? 'must be required outside dev' : undefined),
  }),
  OAUTH_ISSUER: url({
    desc: 'Issuer identifier of the identity service, whose tokens are accepted',
    devDefault: 'http://localhost:4000',
    example: 'https://id.example.com',
    productionRule: httpsOnly,
  }),
  OAUTH_JWKS_URL: url({
    desc: "Where the issuer's keys are read when another address than its /oauth/jwks is nearer",
    default: undefined,
  }),
  PIPELINES_AUDIENCE: str({
    desc: 'Resource indicator that an OAuth access token must name as its audience',
    default: platformResource.pipelines,
  }),
  ...serviceTokenSettings,
} satisfies Record<string, Setting<never> | Setting<unknown>>;

/** The values of `callerAuthSettings`. */
export interface CallerAuthConfig extends ServiceTokenConfig {
  readonly CALLER_AUTH: 'required' | 'none';
  readonly OAUTH_ISSUER: string;
  readonly OAUTH_JWKS_URL?: string | undefined;
  readonly PIPELINES_AUDIENCE: string;
}
