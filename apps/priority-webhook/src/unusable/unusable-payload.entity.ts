import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A webhook in which no profile could be found. The names are those that `unusable list --json` prints. */
@Entity('unusable_payload')
export class UnusablePayload {
  /** SHA-256 of the body. */
  @PrimaryColumn('text')
  fingerprint!: string;

  @Column('text')
  reason!: string;

  @Column('json')
  body!: unknown;

  @Column('text', { nullable: true })
  correlation_id!: string | null;

  /** How often the same body was received. */
  @Column('integer')
  times!: number;

  @Column('timestamptz')
  first_received_at!: Date;

  @Column('timestamptz')
  last_received_at!: Date;

  /** Null while it is shown: it was never dropped, or has come again. */
  @Column('timestamptz', { nullable: true })
  dropped_at!: Date | null;

  @Column('timestamptz', { nullable: true })
  last_dropped_at!: Date | null;

  /** Who dropped it the last time, and why. */
  @Column('text', { nullable: true })
  dropped_by!: string | null;

  @Column('text', { nullable: true })
  drop_reason!: string | null;
}
