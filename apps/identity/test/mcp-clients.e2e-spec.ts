// The two released versions of the Model Context Protocol's SDK, unchanged and without scopes from their user. The
// metadata of a protected resource must lead each of them to a refresh token.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as second from '@modelcontextprotocol/client';
import * as first from '@modelcontextprotocol/sdk/client/auth.js';
import type {
  OAuthClientInformationMixed,
  OAuthClientMetadata,
  OAuthTokens,
} from '@modelcontextprotocol/sdk/shared/auth.js';
import { Clients } from '../src/operators/clients.service.js';
import { password, startIdentity, type Identity } from './identity.fixture.js';
import { decodeJwt, UserAgent } from './user-agent.js';

const redirectUri = 'https://app.example.com/callback';

type Authorize = (
  provider: MemoryProvider,
  options: { serverUrl: string; authorizationCode?: string; iss?: string },
) => Promise<'AUTHORIZED' | 'REDIRECT'>;

describe('Model Context Protocol clients', () => {
  let identity: Identity;
  let email: string;
  let resourceServer: Server;
  let resource: string;

  beforeAll(async () => {
    // A second origin with metadata of its own, as a Model Context Protocol server has.
    resourceServer = createServer((request, response) => {
      const isMetadata = request.url?.startsWith('/.well-known/oauth-protected-resource');
      response.writeHead(isMetadata ? 200 : 404, { 'content-type': 'application/json' });
      const scopes_supported = ['openid', 'email', 'offline_access'];
      response.end(
        isMetadata ? JSON.stringify({ resource, authorization_servers: [identity.issuer], scopes_supported }) : '{}',
      );
    });
    await new Promise<void>((resolve) => resourceServer.listen(0, '127.0.0.1', resolve));
    // The address of a server that listens on a port.
    resource = `http://127.0.0.1:${(resourceServer.address() as AddressInfo).port}/mcp`;
    identity = await startIdentity({ OAUTH_RESOURCES: `urn:tradewind:pipelines,${resource}` });
    email = (await identity.createUser()).email;
  });
  afterAll(async () => {
    resourceServer.close();
    await identity.close();
  });

  /** The user at the browser: signs in, consents, and returns with the redirect. */
  async function approve(url: URL | undefined): Promise<URL> {
    const agent = new UserAgent(identity.issuer);
    let page = await agent.visit(url?.href ?? '');
    if (page.body.includes('/submit"')) page = await agent.submit(page, 'submit', { email, password });
    if (page.body.includes('/confirm"')) page = await agent.submit(page, 'confirm');
    return new URL(page.headers.get('location') as string);
  }

  it.each<[string, string, Authorize]>([
    ['1.x', 'its own resource', first.auth],
    ['1.x', 'another resource', first.auth],
    ['2.x', 'its own resource', second.auth],
    ['2.x', 'another resource', second.auth],
  ])('SDK %s for %s: discovery, registration, tokens, refresh', async (_line, kind, auth) => {
    const serverUrl = kind === 'another resource' ? resource : identity.issuer;
    const provider = new MemoryProvider();
    expect(await auth(provider, { serverUrl })).toBe('REDIRECT');
    if (kind === 'another resource') {
      // The client has just registered itself; an operator must allow it tokens for the resource.
      const refused = await approve(provider.authorizationUrl);
      expect(refused.searchParams.get('error')).toBe('invalid_target');
      const clients = identity.running.app.get(Clients, { strict: false });
      await clients.allowResource(provider.clientInformation()?.client_id as string, resource);
    }
    const { searchParams } = await approve(provider.authorizationUrl);
    const [authorizationCode, iss] = [searchParams.get('code') ?? '', searchParams.get('iss') ?? ''];
    expect(await auth(provider, { serverUrl, authorizationCode, iss })).toBe('AUTHORIZED');
    const issued = provider.saved as OAuthTokens;
    expect(decodeJwt(issued.access_token).payload['aud']).toBe(serverUrl);
    expect(issued.refresh_token).toEqual(expect.any(String));
    expect(await auth(provider, { serverUrl })).toBe('AUTHORIZED');
    expect(provider.saved?.access_token).not.toBe(issued.access_token);
    expect(provider.saved?.refresh_token).not.toBe(issued.refresh_token);
  });
});

/** What an MCP client keeps between the steps. */
class MemoryProvider implements first.OAuthClientProvider {
  authorizationUrl: URL | undefined;
  saved: OAuthTokens | undefined;
  private information: OAuthClientInformationMixed | undefined;
  private verifier = '';
  private discovered: first.OAuthDiscoveryState | undefined;

  get redirectUrl(): string {
    return redirectUri;
  }

  get clientMetadata(): OAuthClientMetadata {
    return {
      client_name: 'MCP client',
      redirect_uris: [redirectUri],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  clientInformation(): OAuthClientInformationMixed | undefined {
    return this.information;
  }

  saveClientInformation(information: OAuthClientInformationMixed): void {
    this.information = information;
  }

  tokens(): OAuthTokens | undefined {
    return this.saved;
  }

  saveTokens(tokens: OAuthTokens): void {
    this.saved = tokens;
  }

  redirectToAuthorization(url: URL): void {
    this.authorizationUrl = url;
  }

  saveCodeVerifier(verifier: string): void {
    this.verifier = verifier;
  }

  codeVerifier(): string {
    return this.verifier;
  }

  saveDiscoveryState(state: first.OAuthDiscoveryState): void {
    this.discovered = state;
  }

  discoveryState(): first.OAuthDiscoveryState | undefined {
    return this.discovered;
  }
}
