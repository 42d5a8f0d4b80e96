import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A message, or a part of one, that could not be used. */
@Entity('dead_letter')
export class DeadLetter {
  /** Digits of a bigint. */
  @PrimaryColumn({ type: 'bigint' })
  id!: string;

  @Column({ type: 'text', nullable: true })
  message_id!: string | null;

  @Column({ type: 'text' })
  reason!: string;

  /** The message part of the envelope, as it came. */
  @Column({ type: 'json' })
  message!: unknown;

  @Column({ type: 'integer' })
  deliveries!: number;

  @Column({ type: 'timestamptz' })
  first_received_at!: Date;

  @Column({ type: 'timestamptz' })
  last_received_at!: Date;

  @Column({ type: 'timestamptz', nullable: true })
  redriven_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  redriven_by!: string | null;

  /** The message that was received instead; null when it was the kept one. */
  @Column({ type: 'json', nullable: true })
  corrected!: unknown;

  /** Of the text in `message` when it was redriven; null before, and from before digests were kept. */
  @Column({ type: 'text', nullable: true })
  kept_sha256!: string | null;

  /** Of what was received then. */
  @Column({ type: 'text', nullable: true })
  received_sha256!: string | null;

  @Column({ type: 'timestamptz', nullable: true })
  dropped_at!: Date | null;

  @Column({ type: 'text', nullable: true })
  dropped_by!: string | null;

  @Column({ type: 'text', nullable: true })
  drop_reason!: string | null;
}
