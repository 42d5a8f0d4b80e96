import { expect, it } from '@jest/globals';
import { readEnvironment } from './settings.js';

it('has a default for everything, and reads ranges', () => {
  expect(readEnvironment({})).toMatchObject({ host: '127.0.0.1', port: 4010, settings: { seed: '1' } });
  const { settings } = readEnvironment({ RUN_DURATION_MS: '5-10', PROFILE_DURATION_MS: '7', SEED: 'x' });
  expect(settings).toMatchObject({
    seed: 'x',
    runDurationMs: { min: 5, max: 10 },
    profileDurationMs: { min: 7, max: 7 },
  });
});

it('names every setting at fault at once', () => {
  const read = () => readEnvironment({ PORT: 'x', RUN_DURATION_MS: '9-1', MAX_CONCURRENT_RUNS: '0' });
  expect(read).toThrow(/PORT[^]*RUN_DURATION_MS[^]*MAX_CONCURRENT_RUNS/);
});
