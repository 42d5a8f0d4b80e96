// The API key that the Data screen asks with. It is in memory alone, until the page is left or reloaded: never in
// storage, in an address or in a copied text. The data API takes API keys and no access tokens.
import { useSyncExternalStore } from 'react';
import { type Api, bodyOf } from '../api/api';
import type { CallsLeft } from './data-api';

export interface KeyInUse {
  value: string;
  /** Its first characters, as lists of keys show them. */
  begins: string;
  /** Of a key that this page made, which is revoked when it is put away. */
  id: string | undefined;
  /** Whether it is one of the keys of the person who is signed in; undefined while that is not known. */
  isOwn: boolean | undefined;
  /** As the last answer said; for the key of somebody else nothing else does. */
  callsLeft: CallsLeft | undefined;
}

const beginChars = 8;
let current: KeyInUse | undefined;
const listeners = new Set<() => void>();

function set(key: KeyInUse | undefined): void {
  current = key;
  for (const listener of listeners) listener();
}

export function takeKey(value: string, { id, isOwn }: Partial<Pick<KeyInUse, 'id' | 'isOwn'>>): void {
  set({ value, begins: value.slice(0, beginChars), id, isOwn, callsLeft: undefined });
}

export function noteCallsLeft(callsLeft: CallsLeft): void {
  if (current) set({ ...current, callsLeft });
}

/** Revokes the key if this page made it. Throws an ApiError, and then keeps the key. */
export async function putKeyAway(api: Api): Promise<void> {
  const id = current?.id;
  if (id !== undefined) await bodyOf(api.gateway.POST('/keys/{id}/revoke', { params: { path: { id } } }));
  set(undefined);
}

export function useKeyInUse(): KeyInUse | undefined {
  return useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => current,
  );
}
