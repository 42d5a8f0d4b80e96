import type { UserRole } from '@tradewind/shared-types';
import { AfterLoad, Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** A user as operators see one: without the password hash, which only a login reads. */
@Entity('user_account')
export class UserAccount {
  /** The `sub` of every token. */
  @PrimaryGeneratedColumn('uuid')
  id!: string;

  @Column('text')
  email!: string;

  /** The form of the address that is compared, see email-key.ts. */
  @Column('text', { name: 'email_key', select: false })
  emailKey!: string;

  @Column('boolean', { name: 'email_verified' })
  emailVerified!: boolean;

  @Column('text', { name: 'role' })
  userRole!: UserRole;

  @Column('text', { name: 'password_hash', select: false })
  passwordHash!: string;

  @Column('text', { nullable: true })
  name!: string | null;

  @Column('text', { name: 'given_name', nullable: true })
  givenName!: string | null;

  @Column('text', { name: 'family_name', nullable: true })
  familyName!: string | null;

  @Column('text', { name: 'preferred_username', nullable: true })
  preferredUsername!: string | null;

  /**
   * Increases with every new password, role or company, and when the user is disabled. A session or token that was made
   * with an earlier version is worthless.
   */
  @Column('integer', { name: 'credentials_version', default: 1 })
  credentialsVersion!: number;

  @Column('timestamptz', { name: 'credentials_changed_at', select: false, default: () => 'now()' })
  credentialsChangedAt!: Date;

  /** The one company that the user belongs to; null: none. */
  @Column('text', { name: 'company_id', nullable: true })
  companyId!: string | null;

  @Column('timestamptz', { name: 'disabled_at', nullable: true })
  disabledAt!: Date | null;

  @CreateDateColumn({ type: 'timestamptz', name: 'created_at' })
  createdAt!: Date;

  /** Since when the user has a second factor, an authenticator app or a passkey; null: has none. */
  @Column('timestamptz', { name: 'second_factor_at', nullable: true })
  secondFactorAt!: Date | null;

  /** Of the last sign-in in a language of the pages, or of the invitation; null: none is known. */
  @Column('text', { nullable: true })
  language!: string | null;

  isDisabled!: boolean;

  hasSecondFactor!: boolean;

  @AfterLoad()
  protected setStates(): void {
    this.isDisabled = this.disabledAt !== null;
    this.hasSecondFactor = this.secondFactorAt !== null;
  }
}
