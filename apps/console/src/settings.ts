// Where the services are: the server of the console has it at /settings.json.

export interface Settings {
  /** OAuth client of the console. */
  client_id: string;
  /** Base address of each service, as the browser reaches it. That of identity is the issuer. */
  services: Record<ServiceName, string>;
}

export const serviceNames = [
  'identity',
  'graphql-gateway',
  'interactions',
  'priority-api',
  'priority-webhook',
  'coordinator',
] as const;

export type ServiceName = (typeof serviceNames)[number];

export async function readSettings(): Promise<Settings> {
  const response = await fetch('/settings.json');
  if (!response.ok) throw new Error(`The settings of the console cannot be read: ${response.status}`);
  // The console's own server wrote it.
  return (await response.json()) as Settings;
}
