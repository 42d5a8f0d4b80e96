// Who may call the pipeline services, and what their credentials are checked against.
import { choice, httpsOnly, integer, platformResource, secret, str, url, type Setting } from '@tradewind/shared-types';
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
  IDENTITY_URL: url({
    desc: 'Address of the identity service as this service reaches it (keys, whether a token is good); the issuer unless set',
    default: undefined,
    example: 'http://identity:4000',
  }),
  SERVICE_TOKEN: secret({
    devDefault: 'dev-only-service-token',
    desc: 'Service token that this service presents to the services that it calls; all call identity',
  }),
  TOKEN_CHECK_MS: integer({
    desc: 'How long the answer of identity is trusted that a token is good, milliseconds; 0 asks for each call',
    default: 5000,
    min: 0,
    max: 60_000,
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
  readonly IDENTITY_URL?: string | undefined;
  readonly SERVICE_TOKEN: string;
  readonly TOKEN_CHECK_MS: number;
  readonly PIPELINES_AUDIENCE: string;
}
