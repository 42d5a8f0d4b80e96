import { Matches } from 'class-validator';

export class CredentialChangesQuery {
  /** The cursor of the page before. */
  @Matches(/^\d{1,18}$/, { message: 'after must be the cursor of the page before, or 0' })
  after = '0';
}
