// Who may call the pipeline services, and what their credentials are checked against.
import { choice, httpsOnly, list, str, url, type Setting } from '../config/settings.js';

const sha256Hex = /^[0-9a-f]{64}$/;

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
    default: 'urn:tradewind:pipelines',
  }),
  SERVICE_TOKEN_SHA256S: list({
    desc: 'SHA-256 (64 hex digits) of each accepted service token, several while one is being replaced',
    default: [],
    deployedRule: (values) =>
      values.every((value) => sha256Hex.test(value.toLowerCase()))
        ? undefined
        : 'must be SHA-256 sums of 64 hex digits each',
  }),
} satisfies Record<string, Setting<never> | Setting<unknown>>;

/** The values of `callerAuthSettings`. */
export interface CallerAuthConfig {
  readonly CALLER_AUTH: 'required' | 'none';
  readonly OAUTH_ISSUER: string;
  readonly OAUTH_JWKS_URL?: string | undefined;
  readonly PIPELINES_AUDIENCE: string;
  readonly SERVICE_TOKEN_SHA256S: readonly string[];
}
