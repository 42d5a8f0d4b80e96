import type { JWK } from 'jose';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { jsonText } from '../json-text.js';
import type { SigningKey, SigningKeyState } from './signing-keys.types.js';

@Entity('signing_key')
export class SigningKeyRow implements SigningKey {
  @PrimaryColumn('text')
  kid!: string;

  @Column('text')
  state!: SigningKeyState;

  @Column('text', { name: 'public_jwk', transformer: jsonText })
  publicJwk!: JWK;

  @Column('text', { name: 'private_sealed' })
  privateSealed!: string;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'activated_at', nullable: true })
  activatedAt!: Date | null;

  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt!: Date | null;
}
