import type { OpenApiOptions } from '@tradewind/service-kit';

export const openApiOptions: OpenApiOptions = {
  title: 'priority-webhook',
  description: 'Receives scraped profiles from the provider, stores them in the warehouse and backs them up.',
};
