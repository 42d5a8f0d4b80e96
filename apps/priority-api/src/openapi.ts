import type { OpenApiOptions } from '@tradewind/service-kit';

export const openApiOptions: OpenApiOptions = {
  title: 'priority-api',
  description: 'Receives batches of priority profiles from the queue and starts scraping for each profile.',
};
