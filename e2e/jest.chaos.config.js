// The three minutes of chaos, which `npm test` runs beside everything else (tools/workspace/test.mjs).
export default {
  displayName: 'chaos',
  preset: '../jest.preset.js',
  testMatch: ['**/chaos.e2e-spec.ts'],
};
