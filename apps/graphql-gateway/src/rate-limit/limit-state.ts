/** One limit as the headers report it. */
export interface LimitState {
  /** `data` or `requests`. */
  policy: 'data' | 'requests';
  limit: number;
  windowSeconds: number;
  remaining: number;
  /** Seconds until the window ends, rounded up. */
  resetSeconds: number;
}
