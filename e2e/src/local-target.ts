// A platform that `npm start` runs on this machine, as a target.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { SignInPages } from '@tradewind/testkit';
import { signIn } from './code-flow.js';
import { call } from './http.js';
import type { PlatformProcess } from './platform-process.js';
import { serviceNames } from './service-names.js';
import type { Target } from './target.types.js';

const account = { email: 'admin@example.com', password: 'admin-password-1' };

/** Limits of the data API that no run reaches, so that they hide nothing. */
export const wideLimits = { DATA_CALLS_PER_DAY: '100000000', REQUESTS_PER_MINUTE: '100000000' };

/** Good for a quarter of an hour. */
export async function dataToken(platform: PlatformProcess): Promise<string> {
  const tokens = await signIn(platform.url('identity'), new SignInPages(account), 'urn:tradewind:data');
  return tokens.access_token;
}

export async function localTarget(platform: PlatformProcess): Promise<Target> {
  // The file holds texts only.
  const secrets = JSON.parse(readFileSync(join(platform.dataDir, 'secrets.json'), 'utf8')) as Record<string, string>;
  const gateway = `${platform.url('graphql-gateway')}/auth/graphql`;
  const login = await call<{ data: { authenticateUser: { token: string } } }>('POST', gateway, {
    body: {
      query: 'mutation ($input: AuthenticateUserInput!) { authenticateUser(input: $input) { token } }',
      variables: { input: account },
    },
  });
  const jwt = login.body.data.authenticateUser.token;
  const made = await call<{ data: { createApiKey: string } }>('POST', gateway, {
    bearer: jwt,
    body: {
      query: 'mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) }',
      variables: { input: { name: 'local target' } },
    },
  });
  const urls = Object.fromEntries(serviceNames.map((name) => [name, platform.url(name)]));
  const metricsUrls = Object.fromEntries(serviceNames.map((name) => [name, platform.metricsUrl(name)]));
  // The names of the other processes are ignored.
  const processIds = Object.fromEntries(platform.processes().map(({ name, pid }) => [name, pid]));
  return {
    ...{ urls, metricsUrls, processIds },
    databaseUrl: platform.databaseUrl,
    logsDir: join(platform.dataDir, 'logs'),
    tokens: {
      apiKey: made.body.data.createApiKey,
      ...{ jwt, data: await dataToken(platform) },
      ...(secrets['serviceToken'] === undefined ? {} : { service: secrets['serviceToken'] }),
      // The local priority-webhook has WEBHOOK_AUTH=none.
      webhooks: { interactions: secrets['interactionsWebhookSecret'] ?? '' },
    },
  };
}
