import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What can happen to a key, as the audit log names it. */
export type AuditOutcome =
  'created' | 'used' | 'refused_expired' | 'refused_revoked' | 'refused_unknown' | 'rate_limited' | 'revoked';

/** A row of the audit log, which is only ever added to. */
@Entity('api_key_audit')
export class AuditEntry {
  /** From a sequence of PostgreSQL; set before the entry is first written. */
  @PrimaryColumn('bigint')
  id?: string;

  @Column('timestamptz')
  at!: Date;

  @Column('text')
  outcome!: AuditOutcome;

  @Column('uuid', { name: 'key_id', nullable: true })
  keyId!: string | null;

  /** All that is kept of a key that is not known. */
  @Column('text', { name: 'key_prefix', nullable: true })
  keyPrefix!: string | null;

  @Column('uuid', { name: 'user_id', nullable: true })
  userId!: string | null;

  @Column('text', { nullable: true })
  ip!: string | null;

  @Column('text', { name: 'operation_name', nullable: true })
  operationName!: string | null;

  /**
   * Who made or revoked the key: `sub` of a user, name of a service token, or `operator`. Null for uses and refusals,
   * and when a key ended with the credentials of its user.
   */
  @Column('text', { name: 'changed_by', nullable: true })
  changedBy?: string | null;

  /** How many refusals of one minute share the row; 1 unless given. */
  @Column('integer')
  occurrences?: number;
}
