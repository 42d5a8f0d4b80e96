// What identity reports to services that keep credentials of users: GET /internal/credential-changes, with a service
// token.

export interface CredentialChangesPage {
  /** In the order in which they were committed; at most the last one of each user. */
  changes: {
    user_id: string;
    /** Everything that the user made with a lower version of the credentials is invalid. */
    credentials_version: number;
    changed_at: string;
  }[];
  /** Where the next page begins: `?after=`. */
  cursor: string;
  /** Cursor behind the last change. If it is below the reader's own, identity was restored: begin with 0 again. */
  last: string;
}
