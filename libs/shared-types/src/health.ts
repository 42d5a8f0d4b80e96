import type { Environment } from './environment.js';

/** Body of `GET /health`: liveness, exactly these fields. */
export interface Health {
  status: 'healthy';
  service: string;
  environment: Environment;
}

/** Body of `GET /ready`: 200 when every dependency answers that the service cannot work without, 503 otherwise. */
export interface Readiness {
  status: 'ready' | 'not_ready';
  service: string;
  dependencies: Record<string, 'up' | 'down'>;
  /** Dependencies that are down but that the service can work without, with what fails or waits meanwhile. */
  degraded?: Record<string, string>;
}
