import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An API key as the gateway keeps it: everything but the key. */
@Entity('api_key')
export class ApiKey {
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  /** Identity `sub` of the user that the key belongs to. */
  @Column('uuid', { name: 'user_id' })
  userId!: string;

  @Column('text', { name: 'user_email' })
  userEmail!: string;

  /** The company that the user belonged to when the key was made; null: none, or not known. */
  @Column('text', { name: 'company_id', nullable: true })
  companyId!: string | null;

  @Column('text')
  name!: string;

  /** `svc_` and four characters. */
  @Column('text')
  prefix!: string;

  /** SHA-256 of the key. */
  @Column('bytea', { name: 'key_hash' })
  hash!: Buffer;

  /** Version of the user's credentials with which the key was made; 0: not known. */
  @Column('integer', { name: 'credentials_version' })
  credentialsVersion!: number;

  @Column('timestamptz', { name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'expires_at' })
  expiresAt!: Date;

  @Column('timestamptz', { name: 'revoked_at', nullable: true })
  revokedAt!: Date | null;

  /** Some seconds old at most; null: never used, or not since this is kept. */
  @Column('timestamptz', { name: 'last_used_at', nullable: true })
  lastUsedAt!: Date | null;
}

export type KeyState = 'active' | 'revoked' | 'expired';

export function keyStateOf({ revokedAt, expiresAt }: ApiKey, now: Date): KeyState {
  if (revokedAt) return 'revoked';
  return expiresAt <= now ? 'expired' : 'active';
}
