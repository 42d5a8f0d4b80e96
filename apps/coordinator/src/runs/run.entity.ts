import type { Month } from '@tradewind/shared-types';
import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

export type RunState = 'selecting' | 'publishing' | 'completed';

@Entity('run')
export class Run {
  @PrimaryGeneratedColumn('uuid', { name: 'run_id' })
  runId!: string;

  @Column('text')
  month!: Month;

  @Column('text')
  state!: RunState;

  @Column('boolean')
  forced!: boolean;

  @Column('boolean', { name: 'dry_run' })
  dryRun!: boolean;

  /** Most profiles to publish; null: all. */
  @Column('integer', { name: 'profile_limit', nullable: true })
  limit!: number | null;

  /** The process that works on it, see run-lock.ts. */
  @Column('uuid', { nullable: true })
  holder!: string | null;

  /** Profiles that the batches hold. */
  @Column('integer')
  selected!: number;

  /** Rows of priority people read from the warehouse. */
  @Column('integer', { name: 'people_read' })
  peopleRead!: number;

  @Column('integer', { name: 'without_username' })
  withoutUsername!: number;

  @Column('integer', { name: 'unusable_usernames' })
  unusableUsernames!: number;

  @Column('integer')
  duplicates!: number;

  /** Profiles left out because an earlier run of the month has published them. */
  @Column('integer', { name: 'published_before' })
  publishedBefore!: number;

  @Column('integer', { name: 'total_batches' })
  totalBatches!: number;

  @Column('integer', { name: 'published_batches' })
  publishedBatches!: number;

  @Column('integer', { name: 'published_profiles' })
  publishedProfiles!: number;

  @Column('text', { name: 'last_error', nullable: true })
  lastError!: string | null;

  @Column('text', { name: 'triggered_by', nullable: true })
  triggeredBy!: string | null;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt!: Date;

  @Column('timestamptz', { name: 'finished_at', nullable: true })
  finishedAt!: Date | null;
}
