import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

@Entity('audit_event')
export class AuditEvent {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id!: string;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  at!: Date;

  @Column('text')
  event!: string;

  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  @Column('text', { name: 'client_id', nullable: true })
  clientId!: string | null;

  @Column('text', { nullable: true })
  ip!: string | null;

  @Column('simple-json')
  details!: Record<string, unknown>;
}
