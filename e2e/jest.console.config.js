// The console in a browser, which `npm test` runs beside the other e2e tests (tools/workspace/test.mjs).
export default {
  displayName: 'console',
  preset: '../jest.preset.js',
  testMatch: ['**/console.e2e-spec.ts'],
};
