import { expect, it } from '@jest/globals';
import { fromReadiness } from './readiness.js';

it('is degraded when a dependency is away that can wait, and says what that means', () => {
  const dependencies = { postgres: 'up', warehouse: 'down' } as const;
  expect(fromReadiness({ status: 'ready', dependencies, degraded: { warehouse: 'items are stored later' } })).toEqual({
    state: 'degraded',
    dependencies: [
      { name: 'postgres', isUp: true, consequence: undefined },
      { name: 'warehouse', isUp: false, consequence: 'items are stored later' },
    ],
    note: undefined,
  });
  expect(fromReadiness({ status: 'not_ready', dependencies: { postgres: 'down' } }).state).toBe('not_ready');
  expect(fromReadiness({ status: 'ready', dependencies: { postgres: 'up' } }).state).toBe('ready');
});
