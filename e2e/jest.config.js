export default {
  displayName: 'e2e',
  preset: '../jest.preset.js',
  testPathIgnorePatterns: ['/node_modules/', '/test/chaos\\.e2e-spec\\.ts$', '/console\\.e2e-spec\\.ts$'],
};
