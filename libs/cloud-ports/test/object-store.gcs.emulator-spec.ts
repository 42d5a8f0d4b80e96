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
  const open = () => new GcsObjectStore({ projectId: 'emulated', pingBucket: bucket, apiEndpoint: emulator.address });
  return { store: open(), replica: open(), bucket, close: () => emulator.stop() };
});
