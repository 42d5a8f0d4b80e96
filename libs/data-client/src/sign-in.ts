import { postGraphQL } from './post-graphql.js';

export interface ApiKeyRequest {
  /** Address of the gateway, such as `http://localhost:4001`. */
  url: string;
  email: string;
  password: string;
  /** Name of the key, 1 to 100 characters. */
  name: string;
  /** 1 to 365; 365 unless given. */
  expiresInDays?: number;
  fetch?: typeof fetch;
}

/** Logs in and makes an API key. The key is shown this once: keep it in a secret vault. Throws DataApiError. */
export async function createApiKey(request: ApiKeyRequest): Promise<string> {
  const { url, email, password, name, expiresInDays, fetch: send = fetch } = request;
  const endpoint = `${url.replace(/\/+$/, '')}/auth/graphql`;
  const login = await postGraphQL({
    url: endpoint,
    query: 'mutation Login($input: AuthenticateUserInput!) { authenticateUser(input: $input) { token } }',
    variables: { input: { email, password } },
    fetch: send,
  });
  const { token } = login.data['authenticateUser'] as { token: string };
  const made = await postGraphQL({
    url: endpoint,
    credential: token,
    query: 'mutation CreateKey($input: CreateApiKeyInput!) { createApiKey(input: $input) }',
    variables: { input: { name, ...(expiresInDays === undefined ? {} : { expiresInDays }) } },
    fetch: send,
  });
  return made.data['createApiKey'] as string;
}
