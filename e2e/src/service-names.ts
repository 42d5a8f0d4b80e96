export const serviceNames = [
  'identity',
  'graphql-gateway',
  'interactions',
  'priority-api',
  'priority-webhook',
  'coordinator',
] as const;
export type ServiceName = (typeof serviceNames)[number];
