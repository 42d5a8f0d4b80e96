import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import { jsonText } from '../json-text.js';

/** What others have decided about a client, and it cannot change. */
export interface ClientRights {
  origin: 'operator' | 'registration';
  /** Resources that an operator allowed it to ask tokens for. */
  resources: string[];
}

/** A client as operators see one: without its secret. */
@Entity('oauth_client')
export class OAuthClient implements ClientRights {
  @PrimaryColumn('text', { name: 'client_id' })
  clientId!: string;

  @Column('text', { transformer: jsonText })
  metadata!: Record<string, unknown>;

  @Column('text', { name: 'secret_sealed', nullable: true, select: false })
  secretSealed!: string | null;

  @Column('text')
  origin!: ClientRights['origin'];

  @Column('text', { array: true })
  resources!: string[];

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;
}
