import type { components } from '../api/priority-api.generated';

/** The service says of `content` only that it may be anything. */
export type DeadLetter = components['schemas']['DeadLetterDetailsDto'];
