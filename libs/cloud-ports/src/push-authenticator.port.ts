/**
 * Decides whether an HTTP request is a push of our own queue.
 * It fails closed: when the keys cannot be read, the push is refused with `unavailable` and the queue sends it again.
 */
export abstract class PushAuthenticator {
  /**
   * @param authorization the value of the Authorization header, or undefined. Never throws and never logs the token.
   */
  abstract verify(authorization: string | undefined): Promise<'accepted' | 'refused' | 'unavailable'>;
}
