// What `npm start` prints. Colour only on a terminal (styleText looks at the stream and at NO_COLOR).
import { relative } from 'node:path';
import { styleText } from 'node:util';
import { demoAccounts, demoClient } from './demo-accounts.js';
import { debuggerOffset, metricsOffset, portOf, type ServiceName, serviceNames } from './ports.js';
import { exploringLimits, type LocalSettings } from './settings.js';

const purposes: Record<(typeof serviceNames)[number], string> = {
  identity: 'sign-in, OAuth 2.0 / OpenID Connect',
  'graphql-gateway': 'persons, companies, deals, contacts; GraphiQL at /explorer',
  interactions: 'scraping jobs; API page at /docs',
  'priority-api': 'receives profile batches; API page at /docs',
  'priority-webhook': 'receives scraped profiles; API page at /docs',
  coordinator: 'the monthly run; API page at /docs',
};

export function step(line: string): string {
  return `${styleText('cyan', '·')} ${line}`;
}

export function failure(message: string, settings?: LocalSettings): string {
  const where = settings ? `\n  Logs: ${relative(process.cwd(), settings.dataDir) || '.'}/logs` : '';
  return `\n${styleText(['red', 'bold'], 'The platform cannot run.')}\n  ${message.replaceAll('\n', '\n  ')}${where}\n`;
}

export function welcomePage(settings: LocalSettings, reloading: readonly ServiceName[] = []): string {
  const url = (name: Parameters<typeof portOf>[1]) => `http://localhost:${portOf(settings.portBase, name)}`;
  const heading = (text: string) => styleText('bold', text);
  const rows = serviceNames.map((name) => `  ${name.padEnd(18)}${url(name).padEnd(24)}${purposes[name]}`);
  const accounts = demoAccounts.map(
    ({ email, password, role }) => `  ${email.padEnd(20)}${password.padEnd(20)}${role}`,
  );
  const user = demoAccounts[0];
  const credentials = `{"email":"${user.email}","password":"${user.password}"}`;
  const readToken = `node -pe 'JSON.parse(require("fs").readFileSync(0)).token'`;
  const readKey = `node -pe 'JSON.parse(require("fs").readFileSync(0)).data.createApiKey'`;
  return `
${heading('Console')}
  ${url('console')}   the whole platform in a browser; sign in with a demo account

${heading('Services')}
${rows.join('\n')}
  ${'simulator'.padEnd(18)}${url('provider-simulator').padEnd(24)}replaces the scraping provider; GET /ledger
  ${'mail catcher'.padEnd(18)}${url('mail catcher').padEnd(24)}shows the mails that the platform sends
  Metrics are ${metricsOffset} ports above each service, at /metrics. Logs: ${relative(process.cwd(), settings.dataDir) || '.'}/logs

${heading('Demo accounts')}
${accounts.join('\n')}
  OAuth client ${demoClient.id} / ${demoClient.secret}, redirect URI ${demoClient.redirectUri}

${heading('Three requests to try')}
  1. Sign in and make an API key
     TOKEN=$(curl -s ${url('identity')}/auth/login -H 'content-type: application/json' -d '${credentials}' | ${readToken})
     KEY=$(curl -s ${url('graphql-gateway')}/auth/graphql -H "authorization: Bearer $TOKEN" -H 'content-type: application/json' \\
       -d '{"query":"mutation { createApiKey(input: { name: \\"first key\\" }) }"}' | ${readKey})
  2. Ask for software companies
     curl -s ${url('graphql-gateway')}/graphql -H "authorization: Bearer $KEY" -H 'content-type: application/json' \\
       -d '{"query":"query($searchFilters: InputCompanySearchFilters) { companiesConnection(searchFilters: $searchFilters) { totalCount edges { node { name ticker headquarters } } } }","variables":{"searchFilters":{"keywords":[{"values":["software"],"comparison":"IS_ANY_OF"}]}}}'
  3. Start a scraping job
     curl -s ${url('interactions')}/scraper/network/interactions -H 'content-type: application/json' \\
       -d '{"user_company_id":"demo-company","targets":[{"network_handle":"ada-lovelace","entity":"PERSON"}]}'

${heading('Limits of the data API')}
${limits(settings)}
${reloadingSection(settings, reloading)}
  The main job end to end: ${heading('npm run demo')}. Ctrl-C stops everything.

${styleText(['green', 'bold'], 'Platform ready')}`;
}

function limits({ dataLimits }: LocalSettings): string {
  const count = (text: string) => (/^\d+$/.test(text) ? Number(text).toLocaleString('en') : text);
  const { DATA_PAGE_SIZE, DATA_CALLS_PER_DAY, REQUESTS_PER_MINUTE } = dataLimits;
  const inForce =
    `  A page holds ${count(DATA_PAGE_SIZE)}, a user has ${count(DATA_CALLS_PER_DAY)} data calls a day ` +
    `and ${count(REQUESTS_PER_MINUTE)} other requests a minute.`;
  const isEnough = Number(DATA_CALLS_PER_DAY) >= Number(exploringLimits.DATA_CALLS_PER_DAY);
  if (isEnough) return inForce;
  const more = `pages of ${exploringLimits.DATA_PAGE_SIZE}, ${count(exploringLimits.DATA_CALLS_PER_DAY)} data calls a day`;
  return `${inForce}\n  More to look around with: npm start -- --explore (${more}).`;
}

function reloadingSection({ portBase }: LocalSettings, reloading: readonly ServiceName[]): string {
  if (reloading.length === 0) return '';
  const rows = reloading.map(
    (name) => `  ${name.padEnd(18)}debugger on port ${portOf(portBase, name) + debuggerOffset}`,
  );
  return `
${styleText('bold', 'Running from source, reloaded when a file is saved')}
${rows.join('\n')}
`;
}
