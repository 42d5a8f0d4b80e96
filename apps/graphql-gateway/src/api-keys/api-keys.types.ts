/** An API key as the gateway keeps it: everything but the key. */
export interface ApiKey {
  id: string;
  /** Identity `sub` of the user that the key belongs to. */
  userId: string;
  userEmail: string;
  name: string;
  /** `svc_` and four characters. */
  prefix: string;
  /** SHA-256 of the key. */
  hash: Buffer;
  /** Version of the user's credentials with which the key was made; 0: not known. */
  credentialsVersion: number;
  createdAt: Date;
  expiresAt: Date;
  revokedAt: Date | null;
}

/** What can happen to a key, as the audit log names it. */
export type AuditOutcome =
  'created' | 'used' | 'refused_expired' | 'refused_revoked' | 'refused_unknown' | 'rate_limited' | 'revoked';

export interface AuditEntry {
  at: Date;
  outcome: AuditOutcome;
  keyId: string | null;
  /** For keys that are not known this is all that is kept of them. */
  keyPrefix: string | null;
  userId: string | null;
  ip: string | null;
  operationName: string | null;
  /** How many refusals of one minute the row stands for; one unless given. */
  occurrences?: number;
}
