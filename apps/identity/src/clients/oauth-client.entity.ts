import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

/** A client as operators see one: without its secret. */
@Entity('oauth_client')
export class OAuthClient {
  @PrimaryColumn('text', { name: 'client_id' })
  clientId!: string;

  /** As text: unlike jsonb, text takes an escaped U+0000. */
  @Column('simple-json')
  metadata!: Record<string, unknown>;

  @Column('text', { name: 'secret_sealed', nullable: true, select: false })
  secretSealed!: string | null;

  @Column('text')
  origin!: 'operator' | 'registration';

  /** Resources that an operator allowed it to ask tokens for. */
  @Column('text', { array: true })
  resources!: string[];

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'used_at', nullable: true })
  usedAt!: Date | null;
}

/** What others have decided about a client, and it cannot change. */
export type ClientRights = Pick<OAuthClient, 'origin' | 'resources'>;
