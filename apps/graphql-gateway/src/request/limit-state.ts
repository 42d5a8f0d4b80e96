/** One limit as the headers report it. */
export interface LimitState {
  policy: 'data' | 'requests' | 'refused_keys';
  limit: number;
  windowSeconds: number;
  remaining: number;
  /** Seconds until the window ends, rounded up. */
  resetSeconds: number;
}
