import { addExamples, OperatorError, utcText } from '@tradewind/service-kit';
import type { OAuthClient } from '../clients/oauth-client.entity.js';
import { Clients } from './clients.service.js';
import { type ListDisplay, type Open, print, printList, type Program } from './command-line.js';

interface CreateOptions {
  id?: string;
  secret?: string;
  name?: string;
  redirectUri: string[];
  postLogoutRedirectUri?: string[];
  backchannelLogoutUri?: string;
  grantTypes: string[];
  authMethod: string;
  scope?: string;
  introspects?: string;
  resource?: string[];
  ifMissing?: boolean;
}

export function clientCommands(program: Program, open: Open): void {
  const client = program.command('client').description('OAuth clients');
  addExamples(
    client,
    'client list',
    'client create --name Reports --redirect-uri https://reports.example.com/callback',
    'client show CLIENT_ID',
    'client allow-resource CLIENT_ID urn:tradewind:data',
    'client disallow-resource CLIENT_ID urn:tradewind:data',
    'client delete CLIENT_ID',
  );
  const clients = async (): Promise<Clients> => (await open()).get(Clients, { strict: false });

  client
    .command('create')
    .description('make a client; prints its id and its secret, which is shown by no other command')
    .option('--id <id>', 'client_id; random unless given')
    .option('--secret <secret>', 'client_secret; random unless given')
    .option('--name <name>', 'shown to users')
    .requiredOption('--redirect-uri <uris...>')
    .option('--post-logout-redirect-uri <uris...>', 'where a sign-out may lead back to')
    .option('--backchannel-logout-uri <uri>', 'called when a session ends (OpenID Back-Channel Logout)')
    .option('--grant-types <types...>', 'authorization_code, refresh_token', ['authorization_code', 'refresh_token'])
    .option(
      '--auth-method <method>',
      'client_secret_post, client_secret_basic, none or private_key_jwt',
      'client_secret_post',
    )
    .option('--scope <scopes>', 'scopes it may ask for, space separated; all unless given')
    .option('--introspects <audience>', 'a resource server: may introspect the tokens made for this audience')
    .option('--resource <uris...>', 'resources it may ask tokens for, in addition to the issuer')
    .option('--if-missing', 'change nothing and succeed when the client exists')
    .action(
      async ({ redirectUri, postLogoutRedirectUri, grantTypes, resource, ifMissing, ...given }: CreateOptions) => {
        const created = await (
          await clients()
        ).create({
          ...given,
          redirectUris: redirectUri,
          postLogoutRedirectUris: postLogoutRedirectUri,
          grantTypes: words(grantTypes),
          resources: resource,
        });
        if (!created && !ifMissing) throw new OperatorError(`there is a client ${given.id} already`);
        if (!created) return print(`${given.id} exists`);
        print(`client_id ${created.clientId}`);
        if (created.clientSecret !== undefined) print(`client_secret ${created.clientSecret}`);
      },
    );
  client
    .command('list')
    .description('all clients')
    .option('--json', 'one JSON object for each client')
    .action(async ({ json }: { json?: boolean }) => printList(await (await clients()).list(), json, clientList));
  client
    .command('show <id>')
    .description('the metadata without the secret')
    .action(async (id: string) => {
      const found = await (await clients()).find(id);
      assertFound(found !== undefined, id);
      print(JSON.stringify(found, null, 2));
    });
  client
    .command('allow-resource <id> <resource>')
    .description('let the client ask for tokens of a resource, one of OAUTH_RESOURCES')
    .action(async (id: string, resource: string) => {
      assertFound(await (await clients()).allowResource(id, resource), id);
      print(`${id} may ask for tokens of ${resource}`);
    });
  client
    .command('disallow-resource <id> <resource>')
    .description('no more tokens of the resource for the client; existing ones are valid until they expire')
    .action(async (id: string, resource: string) => {
      assertFound(await (await clients()).disallowResource(id, resource), id);
      print(`${id} gets no more tokens of ${resource}`);
    });
  client
    .command('delete <id>')
    .description('remove a client with its grants and tokens')
    .action(async (id: string) => {
      assertFound(await (await clients()).delete(id), id);
      print(`${id} is deleted`);
    });
}

function assertFound(isFound: boolean, id: string): void {
  if (!isFound) throw new OperatorError(`there is no client ${id}`);
}

const words = (values: string[]): string[] => values.flatMap((value) => value.split(/[\s,]+/)).filter(Boolean);

const clientList: ListDisplay<OAuthClient> = {
  name: 'clients',
  headings: ['client id', 'name', 'made by', 'created (UTC)', 'used (UTC)', 'resources'],
  cells: ({ clientId, metadata, origin, resources, createdAt, usedAt }) => [
    clientId,
    metadata['client_name'] as string | undefined,
    origin,
    utcText(createdAt),
    usedAt ? utcText(usedAt) : 'never',
    resources.join(', '),
  ],
};
