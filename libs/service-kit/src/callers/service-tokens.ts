// The service tokens that a service accepts: who presents each of them, to which services, and for which company.
import { createHash } from 'node:crypto';
import { constantTimeEqual } from '../constant-time-equal.js';
import { secretSumFault } from '../config/secret-rules.js';
import { list, type Setting } from '@tradewind/shared-types';

/** What the settings say about a service token. Only its holder knows the token itself. */
export interface ServiceToken {
  /** Who presents it; stored and logged with what it does. While a token is replaced, two have the same name. */
  name: string;
  /** SHA-256 of the token, 64 lower-case hex digits. */
  sha256: string;
  /** Services that accept it. */
  services: readonly string[];
  /** The one company that it acts for; undefined: any. */
  companyId?: string;
}

/** Values of `triggered_by` for callers that are neither a user nor a service token. */
export const reservedCallerNames = ['scheduler', 'operator'] as const;

// At most 30 characters, so that a name cannot be confused with a user id, which has 36.
const namePattern = /^[a-z][a-z0-9-]{0,29}$/;
const form = 'NAME:SHA256:SERVICE+SERVICE, with :company=ID for one company';

export const serviceTokenSettings = {
  SERVICE_TOKENS: {
    ...list({
      desc: `Accepted service tokens, each as ${form}; one list may serve all services. Command \`service-token create\` of identity makes one`,
      default: [],
    }),
    kind: 'entries separated by commas',
    parse: parseServiceTokens,
    deployedRule: unfitSum,
  } satisfies Setting<ServiceToken[]>,
};

/** The values of `serviceTokenSettings`. */
export interface ServiceTokenConfig {
  readonly SERVICE_TOKENS: readonly ServiceToken[];
}

/** What `npm start` and the tests use: public, and therefore no secrets. */
const developmentTokens = ['dev-only-service-token'];

/** The first entry whose sum cannot be that of a secret, outside dev. */
function unfitSum(tokens: unknown): string | undefined {
  // As `parseServiceTokens` made them.
  for (const [index, { name, sha256 }] of (tokens as ServiceToken[]).entries()) {
    const fault = secretSumFault(sha256, developmentTokens);
    if (fault !== undefined) return `entry ${index + 1} (${name}) ${fault}`;
  }
  return undefined;
}

/** Reads the setting SERVICE_TOKENS; throws with a sentence for the operator. */
export function parseServiceTokens(input: string): ServiceToken[] {
  const entries = input.split(',').flatMap((entry) => entry.trim() || []);
  const tokens = entries.map((entry, index) => parseEntry(entry, `entry ${index + 1}`));
  if (new Set(tokens.map(({ sha256 }) => sha256)).size < tokens.length) {
    throw new Error('must not hold the SHA-256 of one token twice');
  }
  return tokens;
}

function parseEntry(entry: string, where: string): ServiceToken {
  const [name = '', sum = '', services = '', ...rest] = entry.split(':');
  const sha256 = sum.toLowerCase();
  if (/^[0-9a-f]{64}$/i.test(entry)) throw new Error(`${where} is a bare SHA-256, and must have the form ${form}`);
  if (!namePattern.test(name) || reservedCallerNames.some((reserved) => reserved === name)) {
    throw new Error(
      `${where} must begin with a name of 1 to 30 lower-case letters, digits and hyphens, other than ${reservedCallerNames.join(' and ')}`,
    );
  }
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw new Error(`${where} (${name}) must have a SHA-256 of 64 hex digits`);
  const named = services.split('+');
  if (!named.every((service) => /^[a-z][a-z-]*$/.test(service))) {
    throw new Error(`${where} (${name}) must name services, separated by +, and has the form ${form}`);
  }
  if (rest.length === 0) return { name, sha256, services: named };
  // The id of a company may hold colons.
  const companyId = /^company=(\S.*)$/.exec(rest.join(':'))?.[1];
  if (companyId === undefined) throw new Error(`${where} (${name}) must end with company=ID or with its services`);
  return { name, sha256, services: named, companyId };
}

/** The entry of SERVICE_TOKENS for a token; throws when it would be refused there. */
export function serviceTokenEntry(
  token: string,
  { name, services, companyId }: Pick<ServiceToken, 'name' | 'services' | 'companyId'>,
): string {
  const end = companyId === undefined ? '' : `:company=${companyId}`;
  const entry = `${name}:${sha256Of(token)}:${services.join('+')}${end}`;
  if (entry.includes(',')) throw new Error('neither a name nor the id of a company may hold a comma here');
  parseServiceTokens(entry);
  return entry;
}

/** The entry of the token presented, if there is one. */
export function findServiceToken(tokens: readonly ServiceToken[], presented: string): ServiceToken | undefined {
  const sum = sha256Of(presented);
  let found: ServiceToken | undefined;
  // Every sum is compared, so that the time does not reveal which one matched.
  for (const token of tokens) if (constantTimeEqual(token.sha256, sum)) found = token;
  return found;
}

const sha256Of = (token: string): string => createHash('sha256').update(token).digest('hex');
