import type { LoadRequest } from './operation.types.js';

export function jsonRequest(path: string, body: unknown, headers: Record<string, string> = {}): LoadRequest {
  return {
    method: 'POST',
    path,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  };
}
