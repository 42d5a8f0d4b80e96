export default {
  displayName: 'filters',
  preset: '../../jest.preset.js',
  testMatch: ['**/*.spec.ts', '**/*.int-spec.ts', '**/*.opensearch-spec.ts'],
};
