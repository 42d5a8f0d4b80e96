import type { Environment } from './environment.js';

/** Body of `GET /health`: liveness, exactly these fields. */
export interface Health {
  status: 'healthy';
  service: string;
  environment: Environment;
}

/** Body of `GET /ready`: 200 when everything answers that the service is of no use without, 503 otherwise. */
export interface Readiness {
  status: 'ready' | 'not_ready';
  service: string;
  dependencies: Record<string, 'up' | 'down'>;
  /** Dependencies that are down and that the service works without, with what fails or waits meanwhile. */
  degraded?: Record<string, string>;
}
