// Verifies the OIDC token that Pub/Sub signs pushes with.
import { OAuth2Client } from 'google-auth-library';
import { bearerToken } from './push-authenticator.embedded.js';
import { PushAuthenticator } from './push-authenticator.port.js';

export interface GooglePushAuthenticatorOptions {
  audience: string;
  /** E-mail address that the token must name, and have verified. */
  serviceAccount: string;
  /** Where the signing keys are, instead of Google's address; for tests. */
  certsUrl?: string | undefined;
}

export class GooglePushAuthenticator extends PushAuthenticator {
  readonly #client: OAuth2Client;
  readonly #options: GooglePushAuthenticatorOptions;

  constructor(options: GooglePushAuthenticatorOptions) {
    super();
    this.#options = options;
    this.#client = new OAuth2Client(
      options.certsUrl === undefined ? {} : { endpoints: { oauth2FederatedSignonPemCertsUrl: options.certsUrl } },
    );
  }

  async verify(authorization: string | undefined): Promise<'accepted' | 'refused' | 'unavailable'> {
    const token = bearerToken(authorization);
    if (token === undefined) return 'refused';
    try {
      // Fetched once and kept for as long as their Cache-Control says. Apart from the token, so that a failure to get
      // the keys is not taken for a bad token.
      await this.#client.getFederatedSignonCertsAsync();
    } catch {
      return 'unavailable';
    }
    try {
      const ticket = await this.#client.verifyIdToken({ idToken: token, audience: this.#options.audience });
      const claims = ticket.getPayload();
      // The library checks signature, issuer, audience and times, and leaves these two to us: any Google account can
      // get a token for any audience.
      const isOurs = claims?.email === this.#options.serviceAccount && claims.email_verified === true;
      return isOurs ? 'accepted' : 'refused';
    } catch {
      // The library's messages quote the token, so the reason is not passed on.
      return 'refused';
    }
  }
}
