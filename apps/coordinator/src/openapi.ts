import type { OpenApiOptions } from '@tradewind/service-kit';

export const openApiOptions: OpenApiOptions = {
  title: 'coordinator',
  description:
    'Selects the priority people of a month, publishes their profiles in batches, and reports what is missing.',
};
