/**
 * What identity says about an access token at `POST /internal/access-tokens/check`. A token that was revoked, or whose
 * session, grant or user ended, is not active.
 */
export type AccessTokenCheck =
  | { active: false }
  | {
      active: true;
      user_id: string;
      email: string;
      /** The company that the user belongs to; null: none. */
      user_company_id: string | null;
      /** Of the user's credentials; it grows when they end. */
      credentials_version: number;
    };
