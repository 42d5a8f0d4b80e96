// The key that the console's tokens are bound to (DPoP, RFC 9449). WebCrypto makes it, and no script can read it: a
// token that is copied out of the page is of no use without it. IndexedDB keeps it for the next visit.
import { generateKeyPair } from 'oauth4webapi';

const database = 'tradewind-console';
const store = 'keys';
const name = 'dpop';

export async function browserKey(): Promise<CryptoKeyPair> {
  const db = await opened(indexedDB.open(database, 1), ({ result }) => void result.createObjectStore(store));
  try {
    // Nothing else is stored under this name.
    const kept = (await done(db.transaction(store).objectStore(store).get(name))) as CryptoKeyPair | undefined;
    if (kept) return kept;
    const made = await generateKeyPair('ES256', { extractable: false });
    await done(db.transaction(store, 'readwrite').objectStore(store).put(made, name));
    return made;
  } finally {
    db.close();
  }
}

/** The next sign-in makes another key. */
export function forgetBrowserKey(): void {
  indexedDB.deleteDatabase(database);
}

async function opened(request: IDBOpenDBRequest, upgrade: (request: IDBOpenDBRequest) => void): Promise<IDBDatabase> {
  request.onupgradeneeded = () => upgrade(request);
  return done(request);
}

async function done<T>(request: IDBRequest<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    request.onsuccess = () => resolve(request.result);
    request.onerror = () => reject(request.error ?? new Error('IndexedDB failed'));
  });
}
