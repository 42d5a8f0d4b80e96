import type { components } from '../api/interactions.generated';

export type Job = components['schemas']['InteractionDto'];

/** Whether a job has not ended yet, and so can be aborted. */
export const isUnderWay = ({ status }: Pick<Job, 'status'>) => status === 'PENDING' || status === 'RUNNING';
