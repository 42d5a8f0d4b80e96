// Every setting of the console's server: where the services are, as a browser reaches them. Read once, and reported
// with all faults at once.
import {
  choice,
  environments,
  httpsOnly,
  integer,
  str,
  url,
  type Setting,
  type ValueOf,
} from '@tradewind/shared-types';

const service = (name: string, example: string) =>
  url({ desc: `Address of ${name} as a browser reaches it`, example, productionRule: httpsOnly });

export const consoleSettings = {
  ENVIRONMENT: choice(environments, { desc: 'Where this deployment runs; production takes https addresses alone' }),
  HOST: str({ desc: 'Address to listen on', default: '127.0.0.1' }),
  PORT: integer({ desc: 'Port; 0 takes any free one', default: 8080, min: 0, max: 65_535 }),
  CLIENT_ID: str({ desc: 'OAuth client of the console at identity, a public one', default: 'console' }),
  IDENTITY_URL: service('identity, its issuer', 'https://id.example.com'),
  GATEWAY_URL: service('graphql-gateway', 'https://data.example.com'),
  INTERACTIONS_URL: service('interactions', 'https://interactions.example.com'),
  PRIORITY_API_URL: service('priority-api', 'https://priority-api.example.com'),
  PRIORITY_WEBHOOK_URL: service('priority-webhook', 'https://priority-webhook.example.com'),
  COORDINATOR_URL: service('coordinator', 'https://coordinator.example.com'),
};

export type ConsoleSettings = { [Name in keyof typeof consoleSettings]: ValueOf<(typeof consoleSettings)[Name]> };

/** Throws one error that names every setting that is missing or wrong. */
export function readConsoleSettings(env: Record<string, string | undefined>): ConsoleSettings {
  const faults: string[] = [];
  const values: Record<string, unknown> = {};
  const isProduction = env['ENVIRONMENT'] === 'production';
  for (const [name, setting] of Object.entries(consoleSettings) as [string, Setting<unknown>][]) {
    const given = env[name];
    if (given === undefined || given === '') {
      if (setting.default === undefined) faults.push(`${name} is missing (${setting.desc})`);
      values[name] = setting.default;
      continue;
    }
    try {
      values[name] = setting.parse(given);
      const fault = isProduction ? setting.productionRule?.(values[name]) : undefined;
      if (fault !== undefined) faults.push(`${name} ${fault} (${setting.desc})`);
    } catch (error) {
      faults.push(`${name} ${(error as Error).message}`);
    }
  }
  if (faults.length > 0) throw new Error(`${faults.length} settings are wrong:\n  ${faults.join('\n  ')}`);
  // Each has the value that its own `parse` made, or its default.
  return values as ConsoleSettings;
}
