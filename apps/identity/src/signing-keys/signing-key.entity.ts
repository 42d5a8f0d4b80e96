import type { JWK } from 'jose';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/**
 * `next` is published and does not sign yet, so every verifier knows it before its first signature. `current` signs.
 * `previous` is published until the last token it signed has expired.
 */
export type SigningKeyState = 'next' | 'current' | 'previous';

@Entity('signing_key')
export class SigningKeyRow {
  @PrimaryColumn('text')
  kid!: string;

  @Column('text')
  state!: SigningKeyState;

  @Column('simple-json', { name: 'public_jwk' })
  publicJwk!: JWK;

  @Column('text', { name: 'private_sealed' })
  privateSealed!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'activated_at', nullable: true })
  activatedAt!: Date | null;

  /** When a previous key leaves the key set. */
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;
}

export type SigningKey = Omit<SigningKeyRow, 'privateSealed'>;

export interface PrivateSigningKey extends SigningKey {
  privateJwk: JWK;
}

export type NewSigningKey = Pick<PrivateSigningKey, 'kid' | 'state' | 'publicJwk' | 'privateJwk'>;

/** The keys of one moment, in the order current, next, previous. */
export interface KeySet {
  /** Changes whenever the set does. */
  version: string;
  current: PrivateSigningKey;
  keys: PrivateSigningKey[];
}
