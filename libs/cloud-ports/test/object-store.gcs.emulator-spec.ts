import { GcsObjectStore } from '../src/object-store.gcs.js';
import { objectStoreContract } from './contracts/object-store.contract.js';
import { cloudStorageEmulator } from './emulators.js';

objectStoreContract('GcsObjectStore on fake-gcs-server', async () => {
  const emulator = await cloudStorageEmulator();
  const bucket = `backup-${Date.now()}`;
  const created = await fetch(`${emulator.address}/storage/v1/b?project=emulated`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ name: bucket }),
  });
  if (!created.ok) throw new Error(`the bucket could not be made: HTTP ${created.status}`);
  const open = () => new GcsObjectStore({ projectId: 'emulated', apiEndpoint: emulator.address });
  const forbidWriting = async () => {
    // An emulator has no permissions to take away, and removes only an empty bucket.
    const url = `${emulator.address}/storage/v1/b/${bucket}`;
    for await (const name of open().list(bucket, '')) {
      await fetch(`${url}/o/${encodeURIComponent(name)}`, { method: 'DELETE' });
    }
    await fetch(url, { method: 'DELETE' });
  };
  return { store: open(), replica: open(), open, forbidWriting, bucket, close: () => emulator.stop() };
});
