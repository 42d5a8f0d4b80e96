// Accounts of the local platform, environment dev only (the outside contract names them).
import { portOf } from './ports.js';

export const demoAccounts = [
  { email: 'demo@example.com', password: 'demo-password-1', role: 'USER', givenName: 'Demo', familyName: 'User' },
  { email: 'admin@example.com', password: 'admin-password-1', role: 'ADMIN', givenName: 'Demo', familyName: 'Admin' },
] as const;

export const demoClient = {
  id: 'demo-client',
  secret: 'demo-secret',
  redirectUri: 'http://localhost:4999/callback',
  grantTypes: ['authorization_code', 'refresh_token'],
  resources: ['urn:tradewind:pipelines', 'urn:tradewind:data', 'urn:tradewind:identity'],
} as const;

/** The console's client: a public one, since a page in a browser can keep no secret. */
export function consoleClient(portBase: number) {
  const origin = `http://localhost:${portOf(portBase, 'console')}`;
  return {
    id: 'console',
    name: 'Tradewind console',
    redirectUri: `${origin}/signed-in`,
    postLogoutRedirectUri: `${origin}/`,
    resources: demoClient.resources,
  };
}
