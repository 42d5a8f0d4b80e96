// The peer of the identity benchmark: oidc-provider as it comes, with its in-memory adapter, on Node's own HTTP server,
// configured like our service. It checks the password with the same argon2id parameters: a login without that is no
// login. FORMAT=opaque gives the tokens its own userinfo and introspection accept; it accepts no JWT there.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';
import { hash, verify } from '@node-rs/argon2';
import Provider from 'oidc-provider';

const port = Number(process.env['PORT']);
const issuer = `http://127.0.0.1:${port}`;
const scopes = ['openid', 'profile', 'email', 'offline_access'];
const email = process.env['EMAIL'] ?? '';
// 2 is Argon2id in an enum that isolated modules cannot read.
const passwordHash = await hash(process.env['PASSWORD'] ?? '', {
  algorithm: 2,
  memoryCost: 19_456,
  timeCost: 2,
  parallelism: 1,
});
const claims = {
  sub: 'user-1',
  email,
  email_verified: true,
  userRole: 'USER',
  name: 'Bench',
  preferred_username: email,
};

const provider = new Provider(issuer, {
  clients: [
    {
      client_id: process.env['CLIENT_ID'] ?? '',
      client_secret: process.env['CLIENT_SECRET'] ?? '',
      redirect_uris: [process.env['REDIRECT_URI'] ?? ''],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'client_secret_post',
    },
  ],
  routes: {
    authorization: '/oauth/auth',
    token: '/oauth/token',
    userinfo: '/oauth/me',
    jwks: '/oauth/jwks',
    introspection: '/oauth/token/introspection',
    revocation: '/oauth/token/revocation',
  },
  scopes,
  claims: {
    openid: ['sub'],
    profile: ['name', 'family_name', 'given_name', 'preferred_username', 'userRole'],
    email: ['email', 'email_verified'],
  },
  responseTypes: ['code'],
  pkce: { required: () => true },
  rotateRefreshToken: true,
  ttl: {
    AccessToken: 900,
    AuthorizationCode: 60,
    IdToken: 900,
    Grant: 7_776_000,
    Interaction: 900,
    Session: 1_209_600,
    RefreshToken: 2_592_000,
  },
  cookies: { keys: ['bench'] },
  interactions: { url: (_ctx, interaction) => `/login/${interaction.uid}` },
  findAccount: (_ctx, id) => ({ accountId: id, claims: () => claims }),
  extraTokenClaims: () => ({ email, userRole: 'USER' }),
  // As in our service, asking for offline_access is enough.
  issueRefreshToken: (_ctx, client) => Promise.resolve(client.grantTypeAllowed('refresh_token')),
  features: {
    devInteractions: { enabled: false },
    introspection: { enabled: true, allowedPolicy: () => true },
    revocation: { enabled: true, allowedPolicy: () => true },
    ...(process.env['FORMAT'] === 'opaque'
      ? {}
      : {
          resourceIndicators: {
            enabled: true,
            defaultResource: () => issuer,
            useGrantedResource: () => true,
            getResourceServerInfo: () => ({
              scope: scopes.join(' '),
              audience: issuer,
              accessTokenFormat: 'jwt' as const,
              jwt: { sign: { alg: 'RS256' as const } },
            }),
          },
        }),
  },
});

const callback = provider.callback();

async function interact(
  request: IncomingMessage,
  response: ServerResponse,
  uid: string,
  action?: string,
): Promise<void> {
  if (!action) {
    const { prompt } = await provider.interactionDetails(request, response);
    const next = prompt.name === 'login' ? 'submit' : 'confirm';
    response.setHeader('content-type', 'text/html');
    response.end(`<form method="post" action="/login/${uid}/${next}"><input name="_csrf" value="x"></form>`);
    return;
  }
  const form = new URLSearchParams(await text(request));
  const details = await provider.interactionDetails(request, response);
  if (action === 'submit') {
    if (!(await verify(passwordHash, form.get('password') ?? ''))) throw new Error('wrong password');
    return provider.interactionFinished(request, response, { login: { accountId: 'user-1', amr: ['pwd'] } });
  }
  const scope = String(details.params['scope']);
  const grant = new provider.Grant({
    accountId: details.session?.accountId,
    clientId: String(details.params['client_id']),
  });
  grant.addOIDCScope(scope);
  if (process.env['FORMAT'] !== 'opaque') grant.addResourceScope(issuer, scope);
  return provider.interactionFinished(request, response, { consent: { grantId: await grant.save() } });
}

const server = createServer((request, response) => {
  if (request.url === '/health') return void response.end('{}');
  const [, uid, action] = /^\/login\/([^/]+)(?:\/(\w+))?$/.exec(request.url ?? '') ?? [];
  const answered = uid ? interact(request, response, uid, action) : callback(request, response);
  void Promise.resolve(answered).catch((error: unknown) => {
    response.statusCode = 500;
    response.end(String(error));
  });
});
server.listen(port, '127.0.0.1');
process.once('SIGTERM', () => {
  server.closeAllConnections();
  server.close();
});
